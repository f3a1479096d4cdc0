// SPDX-License-Identifier: Apache-2.0
// Series of numbers as linkwork writes them (cli/page_stream.c): base64, deflate, planes of bytes, second differences.

async function inflate(text) {
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < packed.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// One array for each series of `rows` numbers.
function unfold(bytes, rows, count, make) {
  const n = rows * count;
  const out = [];
  for (let c = 0; c < count; c++) {
    const series = make(c);
    let last = 0;
    let slope = 0;
    for (let i = 0; i < rows; i++) {
      const at = c * rows + i;
      const z = bytes[at] | (bytes[n + at] << 8) | (bytes[2 * n + at] << 16) | (bytes[3 * n + at] << 24);
      slope = (slope + ((z >>> 1) ^ -(z & 1))) | 0;
      last = (last + slope) | 0;
      series.put(i, last);
    }
    out.push(series.values);
  }
  return out;
}

function scaled(values, first, step) {
  return {
    values,
    put: (i, n) => {
      values[i] = n === -2147483648 ? NaN : first + n * step;
    },
  };
}

export async function decode(stream) {
  const { rows, columns, steps } = stream;
  const [time, data] = await Promise.all([inflate(stream.time), inflate(stream.data)]);
  const [times] = unfold(time, rows, 1, () => scaled(new Float64Array(rows), stream.first, stream.step));
  const series = unfold(data, rows, columns, (c) => scaled(new Float32Array(rows), 0, steps[c]));
  return { rows, of: stream.of, times, series };
}

// The last row at or before t, and how far t is on the way to the next one.
export function locate(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high < 0) return { row: 0, part: 0 };
  if (t >= times[high]) return { row: high, part: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const span = times[low + 1] - times[low];
  return { row: low, part: span > 0 ? Math.min(1, Math.max(0, (t - times[low]) / span)) : 0 };
}

// SPDX-License-Identifier: Apache-2.0
// Elements; texts from model files are always text, never HTML.
export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'class') e.className = v;
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children);
  return e;
}

export function number(x, digits = 5) {
  if (x == null || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const a = Math.abs(x);
  const text = a >= 1e5 || a < 1e-3 ? x.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, 'e') : String(+x.toPrecision(digits));
  return text.replace('-', '−').replace(/e[+]?(−|-)?(\d+)$/, (_, s, n) => ` × 10${s ? '⁻' : ''}${[...n].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]).join('')}`);
}

// What is only rounding errors of numbers as large as `scale` is zero.
export const clean = (x, scale) => (Math.abs(x) < 1e-10 * scale ? 0 : x);

export function download(name, blob) {
  const a = make('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(a);
  a.click();
  setTimeout(() => { URL.revokeObjectURL(a.href); a.remove(); }, 1000);
}

export const fileName = (text) => text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'linkwork';

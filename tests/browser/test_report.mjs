// SPDX-License-Identifier: Apache-2.0
// The page of a run in a browser: it loads without complaint, plays, picks and plots, and what it draws is where the
// numbers of the table say.  node test_report.mjs LINKWORK MODELS PACKAGES FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [linkwork, models, packages, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(packages, 'node_modules/'))('playwright-core');
mkdirSync(folder, { recursive: true });

function report(model, name, ...words) {
  const page = join(folder, `${name}.html`);
  const table = join(folder, `${name}.csv`);
  execFileSync(linkwork, ['run', model, '--report', page, '-o', table, '-q', ...words]);
  const [heads, ...rows] = readFileSync(table, 'utf8').trim().split('\n').map((l) => l.split(','));
  return { url: `file://${page}`, rows: rows.map((r) => Object.fromEntries(heads.map((h, i) => [h, Number(r[i])]))) };
}

// A point of a body in ground axes, from a row of the table.
function place(row, body, at) {
  const [x, y, z, w, a, b, c] = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'].map((k) => row[`${k}.${body}`]);
  const R = [
    [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
    [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
    [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)],
  ];
  return [x, y, z].map((p, i) => p + R[i][0] * at[0] + R[i][1] * at[1] + R[i][2] * at[2]);
}

const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.hypot(...a));

// Pixels of a point from place, target and field of the camera alone.
function project(camera, p) {
  const back = unit(minus(camera.position, camera.target));
  const right = unit(cross(camera.up, back));
  const up = cross(back, right);
  const d = minus(p, camera.position);
  const depth = -dot(d, back);
  const half = camera.fov ? Math.tan((camera.fov * Math.PI) / 360) * depth : camera.half;
  const scale = camera.height / 2 / half;
  return [camera.left + camera.width / 2 + scale * dot(d, right), camera.top + camera.height / 2 - scale * dot(d, up)];
}

const cameraOf = (page) => page.evaluate(() => {
  const { view } = window.linkwork;
  const box = document.getElementById('canvas').getBoundingClientRect();
  const c = view.camera;
  return {
    position: c.position.toArray(), target: view.controls.target.toArray(), up: c.up.toArray(), fov: c.fov || 0, half: c.top / c.zoom,
    left: box.left, top: box.top, width: box.width, height: box.height,
  };
});

// The middle of all pixels that change when body `id` is picked.
const pickedPixels = (page, id) => page.evaluate((body) => {
  const from = document.getElementById('canvas');
  const to = Object.assign(document.createElement('canvas'), { width: from.width, height: from.height });
  const context = to.getContext('2d', { willReadFrequently: true });
  const [before, after] = [null, { kind: 'body', id: body }].map((what) => {
    window.linkwork.pick(what);
    window.linkwork.view.draw();
    context.drawImage(from, 0, 0);
    return context.getImageData(0, 0, to.width, to.height).data;
  });
  let [n, sx, sy] = [0, 0, 0];
  for (let i = 0; i < after.length; i += 4) {
    if ([0, 1, 2].reduce((d, k) => d + Math.abs(after[i + k] - before[i + k]), 0) < 12) continue;
    n++;
    sx += (i / 4) % to.width;
    sy += Math.floor(i / 4 / to.width);
  }
  const box = from.getBoundingClientRect();
  return { n, at: [box.left + ((sx / n + 0.5) * box.width) / to.width, box.top + ((sy / n + 0.5) * box.height) / to.height] };
}, id);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

async function open(url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, reducedMotion: 'reduce', ...options });
  page.complaints = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) page.complaints.push(m.text()); });
  page.on('pageerror', (e) => page.complaints.push(e.message));
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) page.complaints.push(`asks for ${r.url()}`); });
  await page.goto(url);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
  return page;
}
const state = (page) => page.evaluate(() => window.linkwork.state());
const near = (a, b, e, what) => assert.ok(Math.abs(a - b) <= e, `${what}: ${a}, expected ${b} within ${e}`);

const tests = [];
const test = (name, run) => tests.push([name, run]);
const balls = report(join(here, 'balls.yaml'), 'balls');
const squeezer = report(join(models, 'squeezer.yaml'), 'squeezer');
let page;

test('loads from a file without complaints', async () => {
  page = await open(balls.url);
  assert.equal((await state(page)).webgl, true);
  assert.equal(await page.title(), 'three balls – linkwork');
  assert.deepEqual(page.complaints, []);
});

test('plays and pauses', async () => {
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.linkwork.state().t > 0.02, null, { timeout: 20000 });
  await page.keyboard.press('Space');
  const { t, playing } = await state(page);
  assert.equal(playing, false);
  await page.waitForTimeout(120);
  assert.equal((await state(page)).t, t);
});

test('plays by itself, but not for those who asked for less motion', async () => {
  const moving = await open(balls.url, { reducedMotion: 'no-preference' });
  await moving.waitForFunction(() => window.linkwork.state().playing && window.linkwork.state().t > 0.02, null, { timeout: 20000 });
  await moving.close();
});

test('scrubs to the middle, steps by rows, and shows it', async () => {
  const box = await page.locator('#scrub').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  near((await state(page)).t, 1, 0.02, 'time');
  await page.evaluate(() => window.linkwork.player.set(1));
  await page.keyboard.press('ArrowRight');
  near((await state(page)).t, 1.05, 1e-6, 'next row');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  near((await state(page)).t, 0.95, 1e-6, 'row before');
  assert.match(await page.locator('#clock').textContent(), /^0\.950? s$/);
});

test('a body is drawn where the table says that it is', async () => {
  await page.evaluate(() => ['joints', 'springs', 'grid', 'points'].forEach((k) => window.linkwork.layer(k, false)));
  await page.evaluate(() => window.linkwork.plots.choose([]));
  for (const look of ['free', 'front', 'side', 'top'])
    for (const k of [0, 7, 25]) {
      const row = balls.rows[k];
      await page.evaluate(([l, t]) => { window.linkwork.look(l); window.linkwork.player.set(t); }, [look, row.t]);
      const camera = await cameraOf(page);
      for (const [body, at] of [['upper', [0.5, 0, 0]], ['lower', [0, 0.4, 0]], ['ball', [0, 0, 0]]]) {
        const expected = project(camera, place(row, body, at));
        const drawn = await page.evaluate((b) => window.linkwork.pixel(b), body);
        near(drawn[0], expected[0], 0.05, `${look} ${row.t} ${body} x`);
        near(drawn[1], expected[1], 0.05, `${look} ${row.t} ${body} y`);
      }
      // the pixels of the ball, which nothing hides
      const expected = project(camera, place(row, 'ball', [0, 0, 0]));
      const seen = await pickedPixels(page, 3);
      assert.ok(seen.n > 200, `${look} ${row.t}: ${seen.n} pixels`);
      near(seen.at[0], expected[0], 2.5, `${look} ${row.t} pixels x`);
      near(seen.at[1], expected[1], 2.5, `${look} ${row.t} pixels y`);
    }
  await page.evaluate(() => ['joints', 'springs', 'grid', 'points'].forEach((k) => window.linkwork.layer(k, true)));
});

test('between rows bodies are where a finer run says, not on straight lines', async () => {
  const fine = report(join(here, 'balls.yaml'), 'fine', '--output-step', '0.025').rows;
  const straight = (k, b) => [0, 1, 2].map((i) => (place(balls.rows[k], b, [0, 0, 0])[i] + place(balls.rows[k + 1], b, [0, 0, 0])[i]) / 2);
  const size = (a) => Math.hypot(...a);
  for (const k of [1, 5, 30]) {
    const t = balls.rows[k].t + 0.025;
    const row = fine.find((r) => Math.abs(r.t - t) < 1e-9);
    for (const b of ['upper', 'lower', 'ball']) {
      const drawn = await page.evaluate(([name, at]) => {
        const { model } = window.linkwork;
        model.find(at);
        return [[0, 0, 0], [0.4, 0.3, 0]].map((p) => model.point(model.bodies.find((x) => x.name === name).id, p));
      }, [b, t]);
      const wrong = size(minus(place(row, b, [0, 0, 0]), straight(k, b)));
      assert.ok(size(minus(drawn[0], place(row, b, [0, 0, 0]))) < 1e-4 + 0.1 * wrong, `${b} at ${t}`);
      assert.ok(size(minus(drawn[1], place(row, b, [0.4, 0.3, 0]))) < 2e-3, `${b} turned at ${t}`);
    }
  }
});

test('all that moves is in the window, in every view', async () => {
  for (const look of ['front', 'side', 'top', 'free']) {
    await page.evaluate((l) => window.linkwork.look(l), look);
    const camera = await cameraOf(page);
    for (const row of balls.rows)
      for (const b of ['upper', 'lower', 'ball']) {
        const [x, y] = project(camera, place(row, b, [0, 0, 0]));
        assert.ok(x > camera.left && x < camera.left + camera.width && y > camera.top + 40 && y < camera.top + camera.height, `${look}: ${b} at ${row.t} is at ${x}, ${y}`);
      }
  }
});

test('a click picks the body, marks it in the tree and plots it', async () => {
  await page.evaluate(() => { window.linkwork.pick(null); window.linkwork.look('free'); window.linkwork.player.set(0.35); });
  const at = await page.evaluate(() => window.linkwork.pixel('lower'));
  await page.mouse.click(at[0], at[1]);
  assert.deepEqual((await state(page)).picked, { kind: 'body', id: 2 });
  assert.equal(await page.locator('#tree .row.on span').textContent(), 'lower');
  assert.match(await page.locator('.chips').textContent(), /x\.lower/);
  const row = balls.rows.find((r) => Math.abs(r.t - 0.35) < 1e-9);
  const shown = await page.evaluate(() => window.linkwork.model.value('vx.lower', 0.35));
  near(shown, row['vx.lower'], 1e-6, 'velocity');
  await page.locator('#tree .row.joint', { hasText: 'B' }).click();
  assert.deepEqual((await state(page)).picked, { kind: 'joint', name: 'B' });
  assert.match(await page.locator('#info').textContent(), /universal/);
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).picked, null);
});

test('plots have the numbers of the table, units, and set the time', async () => {
  const table = await page.evaluate(() => {
    window.linkwork.plots.choose(['q.A', 'energy.total', 'x.lower', 'fx.A']);
    return window.linkwork.plots.table();
  });
  const [heads, ...rows] = table.trim().split('\n').map((l) => l.split(','));
  assert.deepEqual(heads, ['t', 'q.A', 'energy.total', 'x.lower', 'fx.A']);
  assert.equal(rows.length, balls.rows.length);
  rows.forEach((r, i) => {
    const size = { 'q.A': 4, 'energy.total': 20, 'x.lower': 1, 'fx.A': 200 };
    for (const [k, h] of heads.entries()) near(+r[k], balls.rows[i][h], 2e-6 * (size[h] || 2), `${h} in row ${i}`);
  });
  const units = await page.evaluate(() => window.linkwork.plots.plots.map((p) => p.u.axes[1].label));
  assert.deepEqual(units, ['[rad]', '[J]', '[m]', '[N]']);
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + 20);
  near((await state(page)).t, 0.5, 0.1, 'time chosen in the plot');
  await page.locator('.plot-head input').fill('q.B*');
  await page.locator('.plot-head input').press('Enter');
  assert.match(await page.locator('.chips').textContent(), /q\.B\.1/);
});

test('loads, traces, ghost, frames, centre of mass and a section are drawn', async () => {
  const picture = () => page.evaluate(() => { window.linkwork.view.draw(); return document.getElementById('canvas').toDataURL(); });
  await page.evaluate(() => window.linkwork.player.set(1.2));
  for (const key of ['a', 't', 'g', 'x', 'c']) {
    const before = await picture();
    await page.keyboard.press(key);
    assert.notEqual(await picture(), before, `key ${key} changes nothing`);
    await page.keyboard.press(key);
    assert.equal(await picture(), before, `key ${key} twice does not restore`);
  }
  const before = await picture();
  await page.evaluate(() => window.linkwork.section('x', 0.4));
  assert.notEqual(await picture(), before);
  await page.evaluate(() => window.linkwork.section('', 0.4));
});

test('tables hold freedoms, energies and events; the topology can be picked', async () => {
  await page.locator('#tab-tables').click();
  const text = await page.locator('#panel-tables').textContent();
  for (const words of ['degrees of freedom', 'largest error of the balance', 'kick', 'integrator']) assert.ok(text.includes(words), words);
  await page.locator('#panel-tables .link').first().click();
  near((await state(page)).t, 0.5, 1e-9, 'time of the event');
  assert.match(await page.locator('#panel-tables .event').textContent(), /kick at 0.5 s.*N s.*before/);
  await page.locator('#tab-topology').click();
  await page.locator('#panel-topology text', { hasText: /^upper$/ }).first().click();
  assert.deepEqual((await state(page)).picked, { kind: 'body', id: 1 });
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a mode moves bodies as its shape says', async () => {
  const model = join(models, 'hmmwv.yaml');
  const file = join(folder, 'modes.html');
  execFileSync(linkwork, ['modes', model, '--report', file], { stdio: 'ignore' });
  const facts = JSON.parse(execFileSync(linkwork, ['modes', model, '--json'], { maxBuffer: 1e8 }));
  const p = await open(`file://${file}`);
  await p.evaluate(() => window.linkwork.player.toggle(false));
  assert.equal(await p.locator('#panel-modes .link').count(), facts.modes.length);
  await p.locator('#panel-modes .link').nth(1).click();
  await p.evaluate(() => window.linkwork.player.toggle(false));
  const mode = facts.modes[1];
  // how far the origin of a body is displaced, over that of the chassis: at a phase, both from their middle
  const moved = (name, part) => p.evaluate(([b, x]) => {
    const { model: m } = window.linkwork;
    const id = m.bodies.find((k) => k.name === b).id;
    const at = (t) => Array.from(m.find(t).slice(7 * id, 7 * id + 3));
    const [a, c] = [at(x * m.end), at((x + 0.5) * m.end)];
    return { d: a.map((v, i) => (v - c[i]) / 2), size: m.mode.amplitude, end: m.end };
  }, [name, part]);
  for (const name of ['chassis', 'wheel_rr', 'lower_fl'])
    for (const part of [0.1, 0.37]) {
      const { d, size, end } = await moved(name, part);
      near(end, (2 * Math.PI) / mode.eigenvalue[1], 1e-9 * end, 'period');
      const phase = 2 * Math.PI * part - Math.PI / 2;
      const im = mode.bodies_imaginary?.[name].displacement ?? [0, 0, 0];
      mode.bodies[name].displacement.forEach((re, i) => near(d[i], size * (Math.cos(phase) * re - Math.sin(phase) * im[i]), 2e-5 * size, `${name} at ${part}`));
    }
  assert.deepEqual(p.complaints, []);
  await p.close();
});

test('an equilibrium shows its loads, sensitivities their bars and bands', async () => {
  const file = join(folder, 'equilibrium.html');
  const model = join(models, 'hmmwv.yaml');
  execFileSync(linkwork, ['equilibrium', model, '--report', file], { stdio: 'ignore' });
  const facts = JSON.parse(execFileSync(linkwork, ['equilibrium', model, '--json'], { maxBuffer: 1e8 }));
  const rest = await open(`file://${file}`);
  const fx = await rest.evaluate(() => window.linkwork.model.value('fx.lower_fl', 0));
  assert.equal(fx, facts.loads.lower_fl[0]);
  assert.match(await rest.locator('#panel-tables').textContent(), /stable.*spring_fl/s);
  assert.equal(await rest.evaluate(() => window.linkwork.mechanism.loadGroup.visible), true);
  // rounding errors are not shown as loads and coordinates
  const small = Object.values(facts.q).flat().filter((x) => x !== 0 && Math.abs(x) < 1e-11);
  assert.ok(small.length > 0);
  assert.doesNotMatch(await rest.locator('#panel-tables .list').allTextContents().then((x) => x.join(' ')), /× 10⁻1?[¹²³⁴⁵⁶⁷⁸⁹]{2}/);
  assert.equal(await rest.locator('#transport').isVisible(), false);
  assert.deepEqual(rest.complaints, []);
  await rest.close();
  const page2 = join(folder, 'sens.html');
  const words = ['sens', join(models, 'double-pendulum.yaml'), '--end', '1', '--output-step', '0.1'];
  const sens = JSON.parse(execFileSync(linkwork, [...words, '--report', page2, '--json', '-q'], { maxBuffer: 1e8 }));
  const p = await open(`file://${page2}`);
  assert.equal(await p.locator('#panel-sens .bar-track i').count(), 2 * (Object.keys(sens.objectives).length + 1));
  const band = await p.evaluate(() => {
    const { sensitivities: s, model: m } = window.linkwork;
    s.column.value = 'q.B';
    s.parameter.value = 'Ma';
    s.change.value = -1;
    s.build();
    const last = m.table.rows - 1;
    return s.plot.data.map((c) => c[last]);
  });
  const end = sens.columns['q.B'];
  const wide = Math.abs(0.1 * sens.parameters.Ma * end.d.Ma);
  near(band[3], end.value, 1e-6, 'middle of the band');
  near(band[1] - band[3], wide, 1e-5 * wide + 1e-7, 'upper side');
  near(band[3] - band[2], wide, 1e-5 * wide + 1e-7, 'lower side');
  assert.deepEqual(p.complaints, []);
  await p.close();
});

test('fits a telephone, in dark', async () => {
  const phone = await open(squeezer.url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });
  const facts = await phone.evaluate(() => ({
    wide: document.scrollingElement.scrollWidth, canvas: document.getElementById('canvas').getBoundingClientRect().toJSON(),
    play: document.getElementById('play').getBoundingClientRect().toJSON(), back: getComputedStyle(document.body).backgroundColor,
  }));
  assert.ok(facts.wide <= 390, `${facts.wide} pixels wide`);
  assert.ok(facts.canvas.width === 390 && facts.canvas.height > 250);
  assert.ok(facts.play.bottom <= 844 && facts.play.height >= 30);
  assert.ok(facts.back.match(/\d+/g).slice(0, 3).every((x) => x < 60), facts.back);
  await phone.locator('#play').tap();
  await phone.waitForFunction(() => window.linkwork.state().t > 0, null, { timeout: 20000 });
  await phone.locator('#play').tap();
  // the list of bodies, which has no column there, and the numbers of one
  await phone.locator('#tab-bodies').tap();
  await phone.locator('#tree .row.body', { hasText: 'K3' }).tap();
  assert.match(await phone.locator('#info').textContent(), /K3.*mass/);
  await phone.locator('#theme-button').tap();
  assert.equal(await phone.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert.deepEqual(phone.complaints, []);
  await phone.close();
});

test('names of models are text, not HTML', async () => {
  const model = join(folder, 'hostile.yaml');
  writeFileSync(model, `linkwork: 1
name: "</script><img src=x onerror='document.title=1'>"
bodies: {"<b>bold</b>": {mass: 1, inertia: [1, 1, 1]}, "</script><script>document.title=2</script>": {mass: 1, inertia: [1, 1, 1]}}
simulation: {end: 0.1}
`);
  const hostile = await open(report(model, 'hostile').url);
  assert.equal(await hostile.locator('#title').textContent(), "</script><img src=x onerror='document.title=1'>");
  assert.equal(await hostile.locator('img, #tree b, #tree script').count(), 0);
  assert.ok((await hostile.title()).startsWith('</script>'));
  assert.deepEqual(hostile.complaints, []);
  await hostile.close();
  // a model without a name is called like its file
  writeFileSync(join(folder, 'arm.yaml'), 'linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nsimulation: {end: 0.1}\n');
  const unnamed = await open(report(join(folder, 'arm.yaml'), 'unnamed').url);
  assert.equal(await unnamed.title(), 'arm – linkwork');
  await unnamed.close();
});

let [passed, failed] = [0, 0];
for (const [name, run] of tests) {
  try {
    await run();
    passed++;
    console.log(`ok ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${name}\n${e.stack}`);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);

// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT.c PACKAGES: index.html with style and program inside, cut where the data of a run goes.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [out, packages] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(packages, 'node_modules/'))('esbuild');

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    legalComments: 'none',
    nodePaths: [join(packages, 'node_modules')],
  });
  return result.outputFiles[0].text;
}

const notice = '/* three.js (MIT, Three.js Authors), uPlot (MIT, Leon Sorokin) */\n';
const code = notice + (await bundle('main.js'));
const page = readFileSync(join(here, 'index.html'), 'utf8')
  .replace('/*style*/', () => '')
  .split('/*data*/');
const style = await bundle('style.css');
const head = page[0].replace('<style></style>', () => `<style>${style}</style>`);
const tail = page[1].replace('/*program*/', () => code);
const size = Buffer.byteLength(head) + Buffer.byteLength(tail);
if (size > 1e6) throw new Error(`the page has ${size} bytes, and must have less than a million`);

function bytes(name, text) {
  const numbers = [...Buffer.from(text, 'utf8'), 0];
  const lines = [];
  for (let i = 0; i < numbers.length; i += 40) lines.push(numbers.slice(i, i + 40).join(','));
  return `static const unsigned char ${name}[] = {\n${lines.join(',\n')}};\n`;
}
writeFileSync(out, `#include "page.h"\n${bytes('head', head)}${bytes('tail', tail)}` +
  'const page_program page_text = {(const char *)head, (const char *)tail, ""};\n');

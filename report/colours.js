// SPDX-License-Identifier: Apache-2.0
// Colours of bodies and curves: distinguishable in light and dark, and by most colour-blind people.
export const BODIES = [
  '#4e79a7', '#e28e2c', '#59a14f', '#b07aa1', '#76b7b2', '#e15759', '#9c755f', '#d4b63f', '#86a7d3', '#8cb08a',
];
export const CURVES = ['#3b7dd8', '#e07b1a', '#2e9e5b', '#c0488f', '#14a3b8', '#d64545', '#8a6d3b', '#7a63d2'];
export const LOAD = '#e5484d';
export const TORQUE = '#8e4ec6';
export const PICKED = '#ffb224';

export function bodyColour(id, count) {
  if (count > 40) {
    // a chain or a swarm: one hue after the other
    const hue = (205 + (150 * id) / count) % 360;
    return `hsl(${hue.toFixed(0)}, 45%, 55%)`;
  }
  return BODIES[(id - 1) % BODIES.length];
}

export function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    text: get('--text'), muted: get('--muted'), line: get('--line'), surface: get('--surface'), accent: get('--accent'),
    sky: get('--sky'), floor: get('--floor'), metal: get('--metal'), dark: get('--is-dark') === '1',
  };
}

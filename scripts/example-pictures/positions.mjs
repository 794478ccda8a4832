/**
 * Where the nodes of some examples are, as people move them on the page: rings, which the service would draw as layers.
 * Nodes in a row are 360 apart, and rows 200: all texts have room at the lines between them.
 */

/** @typedef {Readonly<Record<string, { readonly x: number, readonly y: number }>>} Positions */

/**
 * The boxes of nodes in rows, each name with its place in the row.
 * @param {readonly Readonly<Record<string, number>>[]} rows
 * @param {number} [scale]
 * @returns {Positions}
 */
function inRows(rows, scale = 1) {
  const boxes = rows.flatMap((row, y) =>
    Object.entries(row).map(([name, x]) => [`n:${name}`, { x: x * 360 * scale, y: y * 200 * scale }]),
  );
  return Object.fromEntries(boxes);
}

/** From left to right and back, row by row. @param {readonly string[]} names @param {number} perRow @returns {Positions} */
function snake(names, perRow) {
  const boxes = names.map((name, index) => {
    const [row, nth] = [Math.floor(index / perRow), index % perRow];
    return [`n:${name}`, { x: (row % 2 === 0 ? nth : perRow - 1 - nth) * 260, y: row * 130 }];
  });
  return Object.fromEntries(boxes);
}

const routers = Array.from({ length: 98 }, (_, index) => `r${index + 1}`);

/** @type {Readonly<Record<string, Positions>>} By the name of the example. */
export const positionsOf = {
  'course/4-policy': inRows([{ h1: 0, p1: 1, h2: 2 }, { c: 0.5, x: 1.5 }, { p2: 1 }]),
  isis: inRows(
    [
      { h1: 0, r2: 1, h2: 2 },
      { r1: 0.5, r3: 1.5 },
    ],
    1.25,
  ),
  line: snake(['h1', ...routers, 'h2'], 10),
  'resilience/bgp': inRows([
    { h1: 0, r3: 1, h2: 2 },
    { r1: 0.5, r2: 1.5 },
  ]),
  'resilience/ring': inRows([
    { h1: 0, r2: 1, h2: 2 },
    { r1: 0.5, r3: 1.5 },
    { r5: 0, r4: 2 },
  ]),
  triangle: inRows([
    { h1: 0, h2: 2 },
    { r1: 0.5, r2: 1.5 },
    { r3: 1, h3: 2 },
  ]),
};

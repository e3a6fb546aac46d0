import { describe, expect, it, test } from 'vitest';
import { parsePipeline } from '../../../../src/deliver/pipeline.ts';
import { type ConvertLine, editConvert } from '../../../../src/run/file/pipeline-edit.ts';

const HEAD =
  'name: x\nservice: { emulator: true }\narticles: [{ catalogue: {} }] # all\noutput: { dir: out }\n';
const line = (option: string, value: ConvertLine['value'], isAdded = true): ConvertLine => {
  return { option, value, why: 'chosen by a person', isAdded };
};
const ORDER = line('rotationOrder', 'zyx');
const FLIP = line('flipV', false);
const WHY = '# survey: chosen by a person';

/** The edited text, which has to mean what the lines say. */
function edited(text: string, lines: ConvertLine[] = [ORDER, FLIP]): string {
  const result = editConvert(text, lines)!;
  const parse = (content: string) => parsePipeline(content, 'x.yaml', {});
  const values = Object.fromEntries(lines.map(({ option, value }) => [option, value]));
  const before = parse(text);
  expect(parse(result.text)).toEqual({ ...before, convert: { ...before.convert, ...values } });
  expect(editConvert(result.text, lines)).toEqual({ text: result.text, changes: [] });
  return result.text;
}

describe('options that are written into a pipeline file', () => {
  it('make a section at its end, each with a comment', () => {
    const section = `convert:\n  rotationOrder: zyx ${WHY}\n  flipV: false ${WHY}\n`;
    expect(edited(HEAD)).toBe(HEAD + section);
    expect(edited(HEAD.trimEnd())).toBe(HEAD + section);
    expect(edited(`--- # first\n${HEAD}...\n`)).toBe(`--- # first\n${HEAD}${section}...\n`);
  });

  it('come first in a section, and leave its comments and its order', () => {
    const rest = '  # smooth edges\n  creaseAngleDegrees: 45 # as agreed\n\n# the end\n';
    expect(edited(`convert: # ours\n${rest}${HEAD}`)).toBe(
      `convert: # ours\n  rotationOrder: zyx ${WHY}\n  flipV: false ${WHY}\n${rest}${HEAD}`,
    );
  });

  it('replace what was there and differs, and leave what is right', () => {
    const text = `${HEAD}convert:\n    flipV: true   # upright\n    "rotationOrder" : zyx # by hand\n`;
    expect(edited(text)).toBe(
      `${HEAD}convert:\n    flipV: false ${WHY}   # upright\n    "rotationOrder" : zyx # by hand\n`,
    );
    expect(editConvert(text, [ORDER, FLIP])!.changes).toEqual([{ line: FLIP, before: 'true' }]);
  });

  it('get a new reason in place of an earlier one', () => {
    const text = `${HEAD}convert:\n  flipV: false # survey: decided by seams in 3 articles # upright\n`;
    expect(edited(text, [FLIP])).toBe(`${HEAD}convert:\n  flipV: false ${WHY} # upright\n`);
  });

  it('make lines of a section in braces, and stay within braces over several lines', () => {
    const flow = `convert: { creaseAngleDegrees: 45, flipV: true } # ours\n${HEAD}`;
    expect(edited(flow)).toBe(
      `convert: # ours\n  rotationOrder: zyx ${WHY}\n  creaseAngleDegrees: 45\n  flipV: false ${WHY}\n${HEAD}`,
    );
    expect(edited(`convert: {}\n${HEAD}`, [FLIP])).toBe(`convert:\n  flipV: false ${WHY}\n${HEAD}`);
    const long = `convert: {\n  creaseAngleDegrees: 45, # smooth\n  flipV: true\n}\n${HEAD}`;
    expect(edited(long)).toBe(
      `convert: { "rotationOrder": "zyx",\n  creaseAngleDegrees: 45, # smooth\n  flipV: false\n}\n${HEAD}`,
    );
  });

  it('leave JSON that is JSON', () => {
    const content = { name: 'x', service: { emulator: true }, articles: [{ catalogue: {} }] };
    const text = JSON.stringify({ ...content, output: { dir: 'out' } });
    expect(JSON.parse(edited(text))).toMatchObject({
      convert: { rotationOrder: 'zyx', flipV: false },
    });
    const empty = JSON.stringify({ convert: {}, ...content, output: { dir: 'out' } });
    expect(JSON.parse(edited(empty))).toMatchObject({
      convert: { rotationOrder: 'zyx', flipV: false },
    });
  });

  it('end their lines as the file does', () => {
    const text = `convert:\n  creaseAngleDegrees: 45\n${HEAD}`.replaceAll('\n', '\r\n');
    expect(edited(text)).toBe(edited(text.replaceAll('\r\n', '\n')).replaceAll('\n', '\r\n'));
    expect(edited(HEAD.replaceAll('\n', '\r\n'))).not.toMatch(/[^\r]\n/);
    expect(edited(`\uFEFF${HEAD}`)).toBe(`\uFEFF${edited(HEAD)}`);
  });

  it('are not added where they are the default, but correct another value', () => {
    const standard = line('flipV', true, false);
    expect(edited(HEAD, [standard])).toBe(HEAD);
    const flow = `convert: { flipV: false }\n${HEAD}`;
    expect(edited(flow, [standard])).toBe(`convert:\n  flipV: true ${WHY}\n${HEAD}`);
  });

  it('leave overrides and their anchors', () => {
    const rest = '  overrides:\n    OAK: &matt { roughness: 1 }\n    "0*": *matt\n';
    expect(edited(`convert:\n${rest}${HEAD}`)).toBe(
      `convert:\n  rotationOrder: zyx ${WHY}\n  flipV: false ${WHY}\n${rest}${HEAD}`,
    );
  });
});

test('a section that is an alias is not edited', () => {
  expect(editConvert(`x: &x { flipV: true }\nconvert: *x\n`, [FLIP])).toBeUndefined();
});

import { describe, expect, it } from 'vitest';
import { decodersOf, MODEL_VIEWER } from '../../../../src/deliver/embed/decoders.ts';
import { snippetOf } from '../../../../src/deliver/embed/snippet.ts';
import { HOSTILE } from '../../../helpers/reports.ts';

const DESK = { model: 'https://a.example/desk.glb', alt: 'Desk, Finish: Oak' };
const WEB = ['EXT_meshopt_compression', 'EXT_texture_webp', 'KHR_mesh_quantization'];

describe('a snippet', () => {
  it('has script, size, poster, alternative text, AR in real size and the light of pictures', () => {
    const poster = 'https://a.example/desk.jpg';
    const html = snippetOf({ ...DESK, iosModel: 'https://a.example/desk.usdz', poster });
    expect(
      html,
    ).toBe(`<script type="module" src="https://cdn.jsdelivr.net/npm/@google/model-viewer@4.4.0/dist/model-viewer.min.js"
  integrity="${MODEL_VIEWER.integrity}"
  crossorigin="anonymous"></script>
<model-viewer src="https://a.example/desk.glb"
  ios-src="https://a.example/desk.usdz"
  poster="https://a.example/desk.jpg"
  alt="Desk, Finish: Oak"
  ar-scale="fixed"
  exposure="0.69"
  shadow-intensity="0.6"
  camera-orbit="32deg 74deg auto"
  field-of-view="22deg"
  style="width: 100%; max-width: 800px; height: auto; aspect-ratio: 800 / 600"
  ar camera-controls></model-viewer>
`);
  });

  it.each([
    ['npm', '<script type="module">import \'@google/model-viewer\';</script>\n<model-viewer'],
    ['none', '<model-viewer'],
  ] as const)('gets model-viewer as its page wants: %s', (script, begin) => {
    expect(snippetOf(DESK, { script }).startsWith(begin)).toBe(true);
  });

  it('says where the decoder of its file is before it loads model-viewer, and leaves out Scene Viewer, which has none', () => {
    const html = snippetOf(
      { ...DESK, requiredExtensions: WEB },
      { packages: 'https://own.example/</script>/' },
    );
    expect(html).toMatch(
      /^<script>\n.*\n {2}self\.ModelViewerElement\.meshoptDecoderLocation = "https:\/\/own\.example\/\\u003c\/script>\/meshoptimizer@[^"]+\.js";\n<\/script>\n<script type="module" src="https:\/\/own\.example\/&lt;/,
    );
    expect(html).toContain('ar-modes="webxr quick-look"');
    expect(decodersOf(['KHR_texture_basisu', 'KHR_draco_mesh_compression'])).toEqual([
      ...['draco', 'basis'],
    ]);
  });

  it('has a choice of finishes, each with its own text and file for Quick Look', () => {
    const finishes = ['Oak', 'Walnut'].map((name) => ({
      ...{ name, alt: `Desk in ${name}`, iosModel: `${name}.usdz` },
    }));
    const html = snippetOf({ ...DESK, finishes, finish: 'Walnut' }, { finishLabel: 'Dekor' });
    expect(html).toContain('variant-name="Walnut"');
    expect(html).toContain('<label>Dekor\n');
    expect(html.match(/<option.*/g)).toEqual([
      '<option data-variant-name="Oak" data-alt="Desk in Oak" data-ios-src="Oak.usdz">Oak</option>',
      '<option data-variant-name="Walnut" data-alt="Desk in Walnut" data-ios-src="Walnut.usdz" selected>Walnut</option>',
    ]);
    expect(html).not.toMatch(/\bid=/);
    expect(snippetOf({ ...DESK, finishes: finishes.slice(1) })).not.toContain('<select');
    const [oak] = finishes;
    const onlyOne = snippetOf({ ...DESK, finishes: [oak!, { name: 'Walnut' }] });
    // The other finish would show the file of this one.
    expect(onlyOne).not.toContain('data-ios-src');
  });

  it('shows texts as texts, whatever they contain', () => {
    const plain = snippetOf({ ...DESK, finishes: [{ name: 'a' }, { name: 'b' }] });
    const signs = (html: string) => html.replace(/[^<>"]/g, '');
    for (const text of HOSTILE) {
      const finishes = [{ name: text }, { name: 'b', alt: text }];
      const html = snippetOf({ ...{ model: text, alt: text }, finishes }, { finishLabel: text });
      expect(signs(html)).toBe(signs(plain));
    }
  });
});

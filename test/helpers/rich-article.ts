/**
 * An article made in sight that has everything at once.
 */
import { flatJpeg } from './flat-picture.ts';
import { BOX_BODY, type MadeArticle } from './snapshot.ts';

const BOX = 'ACME::DESK::BOX';
const LEG = 'ACME::DESK::LEG';

/** Movables, mirrors, solids, two-sided surfaces, all extensions, shared images. */
export const RICH_ARTICLE: MadeArticle = {
  btg: [
    { type: 'imp', btgname: BOX, mat: 'OAK', scale: [-1, 2, 1], rot: [30, 20, 10] },
    {
      type: 'clsref',
      lay: '72_ACME_DESK_D3_DRAWER',
      offs: [0.1, 0.2, 0.3],
      childs: [
        { type: 'imp', btgname: BOX, mat: 'GLASS' },
        { type: 'cyl', params: [0.7, 0.03], mat: 'VELVET' },
      ],
    },
    { type: 'imp', btgname: LEG, mat: 'OAK', offs: [1, 0, 0] },
    { type: 'block', params: [0.1, 0.2, 0.3], mat: 'LAMP', rot: [0, 45, 0] },
  ],
  blocks: {
    [BOX]: BOX_BODY,
    [LEG]: {
      V: [0, 0, 0, 1, 0, 0, 0, 1, 0],
      A: [{ F: [0, 1, 2], C: false }],
      R: [30, 20, 10],
      P: [0, 1, 0],
    },
  },
  mats: [
    {
      mname: 'OAK',
      pic: 'WOOD',
      bump: 'GRAIN',
      roughness_image: 'DULL',
      metallic_image: 'WOOD',
      scaleu: 2,
      scalev: 3,
      rot: 30,
      bump_rot: 45,
    },
    { mname: 'GLASS', tra: 0.8, refr: 1.5, dif: '0x102030', refl: 0.5 },
    { mname: 'VELVET', sheen: 1, clearcoat: 0.5, pic: 'WOOD', scaleu: 2, scalev: 2, rot: 30 },
    { mname: 'LAMP', luminance: 300, pic: 'WOOD', weight: 'ünïcode "quoted"' },
  ],
  images: {
    WOOD: await flatJpeg(150, 100, 50),
    GRAIN: await flatJpeg(128, 128, 255),
    DULL: await flatJpeg(90, 90, 90),
  },
};

/** The words of the questions, for people who know the furniture and not its data. */

import type { ReadingOption, ReadingValue } from '../readings/readings.ts';

/** How a reading is asked about. */
export interface QuestionText {
  /** A question that pictures answer. */
  question: string;
  /** Where to look, and what a wrong picture has. */
  look: string;
  /** What each value means, as a sentence. */
  answers: Readonly<Record<string, string>>;
}

const SAMPLE = 'Compare with the material itself, or with a sample card.';
const TURNED = 'A wrong picture has a part that tilts, floats or goes through another one.';
const TORN = 'In a wrong picture, grain or weave is smeared, or jumps in the middle of a surface.';
const GRAIN = 'Compare with the article itself, or with its picture in the catalogue.';

/** The table, in the order of the readings. */
export const QUESTION_TEXTS = {
  winding: {
    question: 'Do surfaces show their outside?',
    look: 'A wrong picture has holes: you look through the front, and see the inside of the back.',
    answers: {
      auto: 'Closed parts show their outside, in whatever order their corners are listed.',
      keep: 'Parts are shown as the service sends them.',
      flip: 'Parts are turned round, compared with what the service sends.',
    },
  },
  pointIndexBase: {
    question: 'Are the shapes whole?',
    look: 'A wrong picture has spikes and torn surfaces.',
    answers: {
      auto: 'Each part shows whether its points are counted from 0 or from 1.',
      0: 'The points of a part are counted from 0.',
      1: 'The points of a part are counted from 1.',
    },
  },
  uvIndexBase: {
    question: 'Do wood, fabric and prints lie on the parts as they should?',
    look: TORN,
    answers: {
      auto: 'Each part shows how the places of its images are counted.',
      0: 'The places of images are counted from 0.',
      1: 'The places of images are counted from 1.',
    },
  },
  uvStride: {
    question: 'Do wood, fabric and prints lie on the parts as they should?',
    look: TORN,
    answers: {
      auto: 'Each part shows how many numbers a place in an image has.',
      2: 'A place in an image has two numbers.',
      3: 'A place in an image has three numbers.',
    },
  },
  rotationOrder: {
    question: 'Is every part turned the right way?',
    look: `Look at parts that lean, such as a cushion, a handle or a lamp. ${TURNED}`,
    answers: {
      xyz: 'Parts are turned about X first, then Y, then Z.',
      xzy: 'Parts are turned about X first, then Z, then Y.',
      yxz: 'Parts are turned about Y first, then X, then Z.',
      yzx: 'Parts are turned about Y first, then Z, then X.',
      zxy: 'Parts are turned about Z first, then X, then Y.',
      zyx: 'Parts are turned about Z first, then Y, then X.',
    },
  },
  rotationDirection: {
    question: 'Are all parts turned as they should be?',
    look: TURNED,
    answers: {
      'counter-clockwise': 'Parts are turned counter-clockwise.',
      clockwise: 'Parts are turned clockwise.',
    },
  },
  inheritScale: {
    question: 'Do all parts have the right size?',
    look: 'A wrong picture has a part that is stretched, or too small for what it is attached to.',
    answers: {
      false: 'If a part is stretched, the parts that are attached to it keep their size.',
      true: 'If a part is stretched, the parts that are attached to it are stretched, too.',
    },
  },
  blockPlacement: {
    question: 'Are all parts in their place?',
    look: 'A wrong picture has a part that hangs in the air, or sticks in another one.',
    answers: {
      apply: 'A shape may say by itself how far it is moved and turned.',
      ignore: 'A shape stays where the article puts it.',
    },
  },
  inheritLayers: {
    question: 'Does the article have all of its parts, and nothing else?',
    look: 'A wrong picture lacks parts, or has lines and symbols that belong in a floor plan.',
    answers: {
      false: 'Only parts that are marked as drawings of a plan are left out.',
      true: 'What is attached to a part that is left out is left out, too.',
    },
  },
  inheritMaterial: {
    question: 'Does every part have its material?',
    look: 'In a wrong picture, parts are plain grey that should be wood, metal or fabric.',
    answers: {
      true: 'A part without a material has that of the part to which it belongs.',
      false: 'A part without a material is plain grey.',
    },
  },
  writtenMaterials: {
    question: 'Do these parts have their colour?',
    look: SAMPLE,
    answers: {
      true: 'A part may change the colour of its material.',
      false: 'A part has its material as it is listed.',
    },
  },
  flipV: {
    question: 'Is the pattern on the surface the right way up?',
    look: 'Look at letters, displays and prints. On wood and fabric it is often not seen: then say that you are not sure.',
    answers: {
      true: 'The images of surfaces are the right way up, as the service sends them.',
      false: 'The images of surfaces have to be turned upside down.',
    },
  },
  textureScale: {
    question: 'Do grain and weave have their true size?',
    look: SAMPLE,
    answers: {
      repetitions: 'The data says how often an image is repeated in a metre.',
      metres: 'The data says how long an image is, in metres.',
    },
  },
  textureRotation: {
    question: 'Are grain and weave turned the right way?',
    look: GRAIN,
    answers: {
      'counter-clockwise': 'Images are turned counter-clockwise.',
      clockwise: 'Images are turned clockwise.',
    },
  },
  rauto: {
    question: 'Does the grain within the frame run in the right direction?',
    look: GRAIN,
    answers: {
      exchange:
        'Within the frame, the grain runs as some materials ask for it: turned by a quarter.',
      auto: 'Within the frame, the grain runs as on all other parts.',
    },
  },
  preferStoredUvs: {
    question: 'How does the pattern lie on this part?',
    look: 'Look at seams, at round edges, and at the size of the pattern.',
    answers: {
      false: 'The pattern has its true size, and lies straight on each side of the part.',
      true: 'The pattern lies as the maker of the part has drawn it, and follows its shape.',
    },
  },
  boxProjection: {
    question: 'How fine is the pattern within the frame?',
    look: 'Compare its grain or weave with that of the other parts of the same material.',
    answers: {
      scaled: 'It is as fine as on all parts of this material.',
      unscaled: 'It is finer or coarser there, with the size of the part.',
    },
  },
  mirrorOppositeSides: {
    question: 'Does the pattern run the right way on the back, the left and the underside?',
    look: 'Only a pattern with a direction shows it, such as a print. On a plain fabric, both are good.',
    answers: {
      false: 'All sides show the pattern in the same direction.',
      true: 'The back, the left and the underside show the pattern as in a mirror.',
    },
  },
  tintTextures: {
    question: 'Does the material have its colour?',
    look: SAMPLE,
    answers: {
      false: 'Images have their own colours.',
      true: 'Images are tinted with the colour of the material.',
    },
  },
  normalMap: {
    question: 'Do seams and grooves go in?',
    look: 'In a wrong picture, seams and grooves stand out like ribs, and threads look hollow.',
    answers: {
      opengl: 'The relief is read as OpenGL programs write it.',
      directx: 'The relief is read as DirectX programs write it.',
    },
  },
  reflection: {
    question: 'How much do these surfaces shine?',
    look: SAMPLE,
    answers: {
      specular: 'Surfaces with a low reflection shine less.',
      ignore: 'They shine the same, whatever their reflection is.',
    },
  },
  glowingTextures: {
    question: 'How do these parts glow?',
    look: 'Look at lamps and displays.',
    answers: {
      true: 'Their image glows, as that of a display.',
      false: 'They glow in one colour.',
    },
  },
} as const satisfies Record<ReadingOption, QuestionText>;

/** The words about an option. */
export function questionText(option: ReadingOption): QuestionText {
  return QUESTION_TEXTS[option];
}

/** What a value means, as a sentence. */
export function meaningOf(option: ReadingOption, value: ReadingValue): string {
  return questionText(option).answers[String(value)] ?? `${option}: ${value}`;
}

/** What indications say, by their names. */
const INDICATIONS: Readonly<Record<string, string>> = {
  volume: 'closed parts face outwards',
  'range of indices': 'the numbers of points are within the lists',
  'length of lists': 'the lists have whole entries',
  contact: 'parts touch each other',
  symmetry: 'left and right parts match',
  floor: 'furniture stands on the floor',
  size: 'furniture is as large as its properties say',
  feet: 'furniture stands on its feet',
  symbols: 'no symbols of a floor plan are shown',
  'seams of the image': 'images go on from one surface to the next',
  'picture of the service': "it looks most like the service's own pictures",
  'parts without material': 'no part is left without a material',
  'form of the text': 'the texts have the form of a material',
  'scale of the normal map': 'the relief has the size of the image',
  'colour of the image': 'the colours of image and material match',
  'gradient of the image': 'the relief of the image is a possible surface',
};

/** An indication in words; its name if there are none. */
export function indicationText(indication: string): string {
  return INDICATIONS[indication] ?? indication;
}

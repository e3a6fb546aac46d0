/** The record of a survey: what was found, and what was decided. It names the data, and has nothing of its texts but labels of articles. */

import type { Certainty, Effect, Evidence } from './readings/decide.ts';
import type { ReadingOption, ReadingValue } from './readings/readings.ts';

/** A reading in the record. */
export interface OptionRecord {
  option: ReadingOption;
  /** `chosen`: a person has answered. */
  state: 'no-effect' | 'decided' | 'question' | 'chosen';
  /** What the data has as far as it is known; the value that the pipeline file had, otherwise. */
  value: ReadingValue;
  /** The value that the pipeline file had. */
  present: ReadingValue;
  certainty?: Certainty;
  /** Articles of the sample in which another value changes something. */
  articles: number;
  alternatives: readonly Effect[];
  evidence: readonly Evidence[];
}

/** Something in the data that no option can put right. */
export interface Finding {
  /** Such as `unit` or `up axis`. */
  about: string;
  sentence: string;
  certainty: Certainty;
  articles: number;
}

/** A feature of the data, over all articles of the sample. */
export interface FeatureRecord {
  group: string;
  name: string;
  count: number;
  articles: number;
}

/** What a survey has found; `survey.json`. */
export interface SurveyRecord {
  version: 1;
  /** Name of the pipeline. */
  pipeline: string;
  /** Versions of the program, and of the conversion. */
  program: string;
  conversion: number;
  data: {
    /** Configurations that the pipeline selects, and articles of the sample. */
    selected: number;
    sampled: number;
    manufacturers: number;
    series: number;
    unread: readonly { article: string; code: string; message: string }[];
  };
  features: readonly FeatureRecord[];
  findings: readonly Finding[];
  options: readonly OptionRecord[];
}

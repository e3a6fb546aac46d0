/** The anonymous record: what a survey found, without anything that names the data. */

import { amount } from '../run/report/text.ts';
import { type FeatureGroup, GROUPS_OF_DATA } from './articles/features.ts';
import type { FeatureRecord, OptionRecord, SurveyRecord } from './record.ts';

/** What leaves this machine if a person sends it. */
export interface AnonymousRecord {
  version: 1;
  program: string;
  conversion: number;
  data: Omit<SurveyRecord['data'], 'unread'> & {
    /** How many articles could not be read, by error code. */
    unread: Readonly<Record<string, number>>;
  };
  features: FeatureRecord[];
  /** Without their sentences. */
  findings: Omit<SurveyRecord['findings'][number], 'sentence'>[];
  /** Without the articles in which they matter most. */
  options: (Omit<OptionRecord, 'alternatives'> & {
    alternatives: Omit<OptionRecord['alternatives'][number], 'examples'>[];
  })[];
}

/** What the anonymous record has, a sentence each. */
export const ANONYMOUS_CONTENT: readonly string[] = [
  'versions of btg2gltf and of its conversion',
  'how many configurations are selected, and articles, manufacturers and series compared',
  'how many articles could not be read, by error code',
  'how often a feature of the data occurs, such as a turned node; names that the service has made up only as their number',
  'what is unusual about the data, such as its unit, without the sentence that explains it',
  'the state and the value of each reading, how much other values change, and what was measured',
];

/**
 * The features and decisions of a survey without names, texts, prices and pictures. Each field is named here, so that a
 * new one of the record is not in it.
 *
 * @returns Names of the service, such as unknown fields, as their number.
 */
export function anonymousRecord(record: SurveyRecord): AnonymousRecord {
  const { program, conversion, data, features, findings, options } = record;
  const { selected, sampled, manufacturers, series } = data;
  const codes = data.unread.map(({ code }) => code).sort();
  const unread: Record<string, number> = {};
  for (const code of codes) unread[code] = (unread[code] ?? 0) + 1;
  return {
    version: 1,
    ...{ program, conversion },
    data: { selected, sampled, manufacturers, series, unread },
    features: withoutNames(features),
    findings: findings.map(({ about, certainty, articles }) => ({ about, certainty, articles })),
    options: options.map((one) => {
      const { option, state, value, present, certainty, articles, alternatives, evidence } = one;
      return {
        ...{ option, state, value, present },
        ...(certainty && { certainty }),
        articles,
        alternatives: alternatives.map(withoutExamples),
        evidence: evidence.map(({ indication, value, figure, articles }) => {
          return { indication, value, figure, articles };
        }),
      };
    }),
  };
}

function withoutNames(features: readonly FeatureRecord[]): FeatureRecord[] {
  const isData = ({ group }: FeatureRecord) => GROUPS_OF_DATA.has(group as FeatureGroup);
  const ofData = [...GROUPS_OF_DATA].flatMap((group): FeatureRecord[] => {
    const own = features.filter((feature) => feature.group === group);
    if (own.length === 0) return [];
    const count = own.reduce((sum, feature) => sum + feature.count, 0);
    const articles = Math.max(...own.map((feature) => feature.articles));
    return [{ group, name: amount(own.length, 'name'), count, articles }];
  });
  return [...features.filter((feature) => !isData(feature)), ...ofData];
}

function withoutExamples(effect: OptionRecord['alternatives'][number]) {
  const { value, articles, areaShare, movedMillimetres, aspects } = effect;
  const moved = movedMillimetres === undefined ? {} : { movedMillimetres };
  return { value, articles, areaShare, ...moved, aspects };
}

/** The page of a survey: one file that works from a disk. Everything of the data is escaped. */

import { createHash } from 'node:crypto';
import { GALLERY_STYLE } from '../deliver/gallery/gallery-style.ts';
import { type Html, html } from '../run/report/markup.ts';
import { amount, capital, integer } from '../run/report/text.ts';
import { readBytes } from '../support/files.ts';
import { packageFile } from '../support/package-file.ts';
import { pageHead } from '../support/page-head.ts';
import { cutText, TEXT_LIMITS } from '../support/text-limits.ts';
import { FEATURE_GROUPS, type FeatureGroup } from './articles/features.ts';
import { type AnswerData, convertSection, type DecidedLine } from './page/answers.ts';
import { indicationText, meaningOf, questionText } from './page/question-texts.ts';
import { SURVEY_STYLE } from './page/survey-style.ts';
import type { SurveyPictures } from './question-pictures.ts';
import { askedOf, questionSection } from './question-section.ts';
import { READINGS } from './readings/readings.ts';
import type { OptionRecord, SurveyRecord } from './record.ts';
import { countsText } from './summary.ts';

/** Further content of the page. */
interface SurveyPageParts {
  /** Sentences that say what the anonymous form of the record contains. */
  anonymous?: readonly string[];
}

/**
 * Makes the page that asks the questions of a survey, and shows what it has found.
 *
 * @returns HTML with pictures, program and style in it.
 * @throws {@link ConverterError} `FILE_MISSING` if this package is not complete.
 */
export async function surveyPage(
  record: SurveyRecord,
  pictures: SurveyPictures,
  { anonymous = [] }: SurveyPageParts = {},
): Promise<string> {
  const style = GALLERY_STYLE + SURVEY_STYLE;
  const program = await answerProgram();
  const head = pageHead({
    'script-src': hashOf(program),
    'style-src': hashOf(style),
    'img-src': 'data:',
  });
  const questions = askedOf(record, pictures);
  const data: AnswerData = {
    key: `btg2gltf-survey-${createHash('sha256').update(JSON.stringify(record)).digest('hex')}`,
    questions: questions.map(({ option }) => option),
    decided: decidedLines(record),
  };
  const title = cutText(`Survey of ${record.pipeline}`, TEXT_LIMITS.name);
  const content = html`<a class="skip" href="${questions.length > 0 ? '#answers' : '#result'}">Skip to the result</a>
<div class="page">
<header><h1>${countsText(record)}</h1>${introductionOf(record, questions.length)}</header>
${barOf(questions.length)}
<main>
${pictures.missing === undefined ? undefined : html`<p class="sheet notice">There are no pictures, because ${pictures.missing}; then run the survey again. You can answer without them, if you know the data.</p>`}
${questions.map((question, at) => questionSection(question, at + 1, record, pictures))}
${answersSection(questions)}
${decidedOf(record)}
${findingsOf(record)}
${unimportantOf(record)}
${featuresOf(record)}
${anonymousOf(anonymous)}
${resultOf(data)}
</main>
</div>
<dialog id="large" aria-labelledby="large-name"><div class="bar"><button type="button" id="large-before" class="step" aria-label="The picture before">‹</button><button type="button" id="large-after" class="step" aria-label="The next picture">›</button><p id="large-name"></p><button type="button" id="large-right">This is right</button><button type="button" id="large-close" class="close" aria-label="Close">×</button></div><img id="large-picture" alt=""></dialog>`;
  return [
    `${head}\n${html`<title>${title}</title>`.html}\n<style>${style}</style>\n</head>\n<body>`,
    content.html,
    `<script type="application/json" id="answer-data">${inScript(data)}</script>`,
    `<script>${program}</script>`,
    '</body>\n</html>\n',
  ].join('\n');
}

/** A script in a page ends where it has the text of its end. */
async function answerProgram(): Promise<string> {
  const bytes = await readBytes(packageFile('dist/deliver/survey-answers.js'));
  return new TextDecoder().decode(bytes).replace(/<(?=\/script|!--)/gi, '\\x3c');
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const withState = ({ options }: SurveyRecord, state: OptionRecord['state']) =>
  options.filter((option) => option.state === state);

function introductionOf({ pipeline, program, data }: SurveyRecord, asked: number): Html {
  const { selected, sampled, manufacturers, series, unread } = data;
  const of = `${amount(manufacturers, 'manufacturer')} and ${integer(series)} series`;
  const missing =
    unread.length === 0
      ? undefined
      : html`<details><summary>${amount(unread.length, 'article')} could not be read</summary><ul>${unread.map(({ article, code, message }) => html`<li>${cut(article)}: ${code}, ${cutText(message, TEXT_LIMITS.message)}</li>`)}</ul></details>`;
  const what =
    asked > 0
      ? html`The data of <b>${cut(pipeline)}</b> can be read in several ways. Choose the pictures that show your furniture as it is: so it will be made in 3D, also all articles that are not here. In each question, compare only what it asks about: the pictures do not show your other answers.`
      : html`The data of <b>${cut(pipeline)}</b> can be read in several ways, and decides itself which one is right: nothing is asked.`;
  return html`<p>${what}</p><p class="quiet">${integer(sampled)} of ${amount(selected, 'configuration')}, of ${of}; btg2gltf ${program}</p>${missing}`;
}

const cut = (text: string) => cutText(text, TEXT_LIMITS.name);

/** Hidden where nothing is asked. */
function barOf(count: number): Html {
  const steps =
    count > 1
      ? html`<button type="button" id="previous">←<span class="word"> Previous</span></button><button type="button" id="next"><span class="word">Next </span>→</button>`
      : html`<button type="button" id="previous" hidden>← Previous</button><button type="button" id="next">Go to the question</button>`;
  return html`<nav class="answered-bar" aria-label="Questions"${count > 0 ? html` data-script` : undefined} hidden><b id="answered" role="status"></b>${steps}<a href="#answers" id="finish">Answers</a></nav>`;
}

/** A table that scrolls by itself where the page is narrow. */
function table(label: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide" role="region" aria-label="${`${label}, table`}" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** What a person has answered so far, and the file of it. */
function answersSection(questions: readonly OptionRecord[]): Html | undefined {
  if (questions.length === 0) return undefined;
  const items = questions.map(
    ({ option }, at) =>
      html`<li data-of="${option}"><a href="#question-${at + 1}">${questionText(option).question}</a> <b></b></li>`,
  );
  return html`<section class="sheet" id="answers" data-script hidden aria-labelledby="answers-heading"><h2 id="answers-heading" tabindex="-1">Your answers</h2><ol class="lines">${items}</ol>
<p class="actions"><button type="button" id="save" class="main">Save your answers</button></p><p role="status" id="saved"></p></section>
`;
}

function section(id: string, heading: string, content: Html): Html {
  return html`<section class="sheet" id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>${content}</section>
`;
}

const CERTAINTIES = { high: 'certain', medium: 'likely' } as const;

function reasonsOf({ state, value, evidence }: OptionRecord): string[] {
  if (state === 'chosen') return ['You have answered this.'];
  const own = evidence.filter((one) => one.value === value);
  const shown = own.length > 0 ? own : evidence;
  return shown.map(({ indication, figure, articles }) => {
    return `${capital(indicationText(indication))}: ${figure} (${amount(articles, 'article')}).`;
  });
}

function decidedOf(record: SurveyRecord): Html | undefined {
  const decided = [...withState(record, 'chosen'), ...withState(record, 'decided')];
  if (decided.length === 0) return undefined;
  const rows = decided.map((one) => {
    const { option, value, present, certainty, state } = one;
    const changed = value === present ? 'as it was' : `was ${present}`;
    const sure = state === 'chosen' ? 'your answer' : CERTAINTIES[certainty ?? 'medium'];
    return html`<tr><th scope="row">${capital(READINGS[option].about)}<br><code>${option}</code></th><td>${meaningOf(option, value)}<br><code>${String(value)}</code> <span class="${value === present ? 'quiet' : 'changed'}">${changed}</span></td><td><ul>${reasonsOf(one).map((reason) => html`<li>${reason}</li>`)}</ul></td><td>${sure}</td></tr>`;
  });
  return section(
    'decided',
    'Decided',
    html`<details><summary>${amount(decided.length, 'meaning')}, and why</summary>${table('Decided', ['About', 'What is right', 'Why', 'How sure'], rows)}</details>`,
  );
}

function findingsOf({ findings }: SurveyRecord): Html | undefined {
  if (findings.length === 0) return undefined;
  const items = findings.map(
    ({ about, sentence, certainty, articles }) =>
      html`<li><b>${capital(about)}</b> ${cutText(sentence, TEXT_LIMITS.message)} <span class="quiet">${amount(articles, 'article')}, ${CERTAINTIES[certainty]}</span></li>`,
  );
  return section(
    'findings',
    'Findings',
    html`<p>What no option can put right: ask the service or the manufacturer.</p><ul class="lines">${items}</ul>`,
  );
}

function unimportantOf(record: SurveyRecord): Html | undefined {
  const options = withState(record, 'no-effect');
  if (options.length === 0) return undefined;
  const items = options.map(
    ({ option }) => html`<li>${capital(READINGS[option].about)} <code>${option}</code></li>`,
  );
  return section(
    'unimportant',
    'Does not matter here',
    html`<p>Another meaning would change nothing in this data, or nothing that can be seen.</p><details><summary>${amount(options.length, 'meaning')}</summary><ul class="lines">${items}</ul></details>`,
  );
}

function featuresOf({ features, data }: SurveyRecord): Html | undefined {
  if (features.length === 0) return undefined;
  const rows = features.map(({ group, name, count, articles }, at) => {
    const isFirst = features[at - 1]?.group !== group;
    const heading = FEATURE_GROUPS[group as FeatureGroup] ?? group;
    return html`${isFirst ? html`<tr class="group"><th scope="colgroup" colspan="3">${heading}</th></tr>` : undefined}<tr><td>${cut(name)}</td><td class="number">${integer(count)}</td><td class="number">${integer(articles)}</td></tr>`;
  });
  const wide = table('Features', ['Feature', 'Count', `Of ${data.sampled} articles`], rows);
  return section(
    'features',
    'What the data has',
    html`<details><summary>${amount(features.length, 'feature')}</summary>${wide}</details>`,
  );
}

function anonymousOf(lines: readonly string[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return section(
    'anonymous',
    'What the anonymous form contains',
    html`<p><code>survey --anonymous FILE</code> writes what you can attach to an issue, so that the defaults become better. Nothing is sent by itself.</p><details><summary>${amount(lines.length, 'part')}</summary><ul class="lines">${lines.map((line) => html`<li>${line}</li>`)}</ul></details>`,
  );
}

/** The lines that differ from the pipeline file, and what was chosen before. */
function decidedLines(record: SurveyRecord): DecidedLine[] {
  const chosen = withState(record, 'chosen').map(({ option, value }) => {
    return { option, value, why: 'your answer' };
  });
  const changed = withState(record, 'decided').filter(({ value, present }) => value !== present);
  const decided = changed.map(({ option, value, evidence }) => {
    const first = evidence.find((one) => one.value === value) ?? evidence[0];
    return {
      option,
      value,
      why: first ? `decided: ${indicationText(first.indication)}` : 'decided',
    };
  });
  return [...chosen, ...decided];
}

function resultOf({ decided, questions }: AnswerData): Html {
  const isAsked = questions.length > 0;
  const command = `btg2gltf survey PIPELINE.yaml --apply${isAsked ? ' choices.json' : ''}`;
  const how = isAsked
    ? html`The answers are saved as <code>choices.json</code>. This command writes them into the pipeline file, where everything else stays as it is:`
    : html`This command writes what is decided into the pipeline file, where everything else stays as it is:`;
  return section(
    'result',
    'For the person who runs btg2gltf',
    html`<p>${how}</p>
<pre tabindex="0" role="region" aria-label="Command">${command}</pre>
<p>It writes these lines. You can also add them by hand:</p>
<pre id="section" tabindex="0" role="region" aria-label="Lines of the pipeline file">${convertSection(decided, {})}</pre>
<p class="actions" data-script hidden><button type="button" id="copy">Copy</button><span class="quiet" role="status" id="copied"></span></p>`,
  );
}

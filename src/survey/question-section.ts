/** The questions of the page of a survey: pictures to choose from, for people who know the furniture and not its data. */

import { type Html, html } from '../run/report/markup.ts';
import { amount, integer, percentage } from '../run/report/text.ts';
import { cutText, TEXT_LIMITS } from '../support/text-limits.ts';
import { meaningOf, questionText } from './page/question-texts.ts';
import type { ArticlePictures, ShownImage, SurveyPictures } from './question-pictures.ts';
import type { Effect } from './readings/decide.ts';
import type { ReadingOption, ReadingValue } from './readings/readings.ts';
import type { OptionRecord, SurveyRecord } from './record.ts';

/** An answer: values that look the same in all pictures. The first one stands for them. */
type Answer = readonly ReadingValue[];

/** What is shown of one article, of the questions and articles of a page. */
interface Shown {
  option: ReadingOption;
  article: ArticlePictures;
  /** The same for all pictures that take each other's place when one is large. */
  group: string;
}

/** The questions in the order of the page: those with pictures first. */
export function askedOf({ options }: SurveyRecord, { questions }: SurveyPictures): OptionRecord[] {
  const asked = options.filter(({ state }) => state === 'question');
  const hasPictures = ({ option }: OptionRecord) => (questions.get(option) ?? []).length > 0;
  return [...asked.filter(hasPictures), ...asked.filter((one) => !hasPictures(one))];
}

/** A question, with its pictures and a button for each answer. @param number - Counted from 1. */
export function questionSection(
  option: OptionRecord,
  number: number,
  { data }: SurveyRecord,
  pictures: SurveyPictures,
): Html {
  const articles = articlesOf(option, pictures);
  const { question, look } = questionText(option.option);
  const answers = answersOf(option, articles);
  const isUnseen = articles.length === 0 && pictures.missing === undefined;
  const id = `question-${number}`;
  const [first, ...others] = articles.map((article, at): Shown => {
    return { option: option.option, article, group: `${number}-${at + 1}` };
  });
  const items = answers.map((values, at) => answerItem(option.option, values, at, first));
  const more = others.map((shown) => {
    const again = answers.map(
      (values, at) =>
        html`<li class="answer"><h4>${nameOf(at, shown)}</h4>${picturesOf(shown, values, at)}</li>`,
    );
    return html`<h3 class="article">${cut(shown.article.article)}</h3><ul class="answers ${columnsOf(answers.length, shown)}">${ownPicture(shown)}${again}</ul>`;
  });
  const stays = first
    ? 'Then nothing is changed: it stays as in picture A.'
    : `Then nothing is changed; now it is: ${meaningOf(option.option, option.present)}`;
  return html`<section class="sheet question${isMoved(option) ? ' moved' : ''}" id="${id}" data-question="${option.option}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading" tabindex="-1"><span class="number-of">Question ${number}</span> ${question}</h2>
<p>${isUnseen ? 'In the pictures of this sample, the answers look the same. Answer only if you know the data.' : look}</p>
${first && html`<h3 class="article">${cut(first.article.article)}</h3>${number === 1 ? html`<p class="quiet hint" data-script hidden>Press a picture to see it large. There, ‹ and › show the others in its place.</p>` : undefined}`}
<ul class="answers ${columnsOf(answers.length, first)}">${first && ownPicture(first)}${items}</ul>
<p class="unsure" data-script hidden><button type="button" data-answer="null" data-name="not sure" aria-pressed="false">I am not sure</button> <span class="quiet">${stays}</span></p>
${more.length > 0 ? html`<details class="further"><summary>The same with ${amount(others.length, 'more article')}</summary>${more}</details>` : undefined}
<details class="further"><summary>For the person who runs btg2gltf</summary>${first && html`<ul class="lines">${answers.map((values, at) => meaningItem(option.option, values, at, first))}</ul>`}<p class="quiet">${effectOf(option, data.sampled)} Option <code>${option.option}</code>.</p></details>
</section>
`;
}

/** The articles of a question: those with the most pictures first, and otherwise as they were taken. */
function articlesOf({ option }: OptionRecord, { questions }: SurveyPictures): ArticlePictures[] {
  return (questions.get(option) ?? []).toSorted((a, b) => b.readings.length - a.readings.length);
}

/** Values are one answer if they are together in all pictures. */
function answersOf(
  { present, alternatives }: OptionRecord,
  articles: readonly ArticlePictures[],
): Answer[] {
  const values = [present, ...alternatives.map(({ value }) => value)];
  if (articles.length === 0) return values.map((value) => [value]);
  const signature = (value: ReadingValue) =>
    articles.map(({ readings }) => readings.findIndex((one) => one.values.includes(value))).join();
  const signatures = [...new Set(values.map(signature))];
  return signatures.map((one) => values.filter((value) => signature(value) === one));
}

/** The whole article shows where a part belongs, the marked place what a surface looks like. */
function isMoved({ alternatives }: OptionRecord): boolean {
  return alternatives.some(({ aspects }) =>
    aspects.some((aspect) => aspect === 'position' || aspect === 'parts'),
  );
}

function nameOf(at: number, shown: Shown | undefined): string {
  return `${shown ? 'Picture' : 'Answer'} ${String.fromCharCode(65 + at)}`;
}

function columnsOf(answers: number, shown: Shown | undefined): string {
  const count = answers + Number(shown?.article.own !== undefined);
  if (count === 2) return 'two';
  return count === 4 ? 'three four' : 'three';
}

function answerItem(
  option: ReadingOption,
  values: Answer,
  at: number,
  shown: Shown | undefined,
): Html {
  const [value] = values;
  const name = nameOf(at, shown);
  const twin = shown?.article.readings.find((one) => one.values.includes(value!))?.values[0];
  const alike =
    twin === undefined || values.includes(twin)
      ? undefined
      : html`<p class="quiet">In this article it looks like another picture: see the other articles below.</p>`;
  const words = shown ? undefined : html`<p>${meaningOf(option, value!)}</p>`;
  return html`<li class="answer">${shown && picturesOf(shown, values, at)}<h3>${name}</h3>${words}${alike}<button type="button" class="right" data-script hidden data-answer="${JSON.stringify(value)}" data-name="${name}" aria-pressed="false" aria-label="${`This is right: ${name}`}">This is right</button></li>`;
}

/** What an answer means in the data. */
function meaningItem(option: ReadingOption, values: Answer, at: number, shown: Shown): Html {
  const [first, ...same] = values.map((value) => meaningOf(option, value));
  const alike = same.length > 0 ? ` Looks the same: ${same.join(' ')}` : '';
  return html`<li>${nameOf(at, shown)}: ${first}${alike}</li>`;
}

/** The marked place of an article in one answer, and the whole article with the mark. */
function picturesOf(shown: Shown, values: Answer, at: number): Html | undefined {
  const { article, mark, readings } = shown.article;
  const reading = readings.find((one) => one.values.includes(values[0]!));
  if (reading === undefined) return undefined;
  const name = nameOf(at, shown);
  const frame = [mark.x * 400, mark.y * 300, mark.width * 400, mark.height * 300].map(Math.round);
  const [x, y, width, height] = frame;
  const button = (kind: string, image: ShownImage, alt: string, over?: Html) =>
    html`<button type="button" class="picture ${kind}" data-article="${shown.group}" data-kind="${kind}" data-choice="${JSON.stringify(values[0])}" disabled><img src="${addressOf(image)}" width="640" height="480" alt="${alt}">${over}</button>`;
  const over = html`<svg viewBox="0 0 400 300" aria-hidden="true"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/></svg>`;
  return html`<div class="pictures">${button('detail', reading.detail, `${name}: the marked place of ${cut(article)}`)}${button('whole', reading.whole, `${name}: ${cut(article)}`, over)}</div>`;
}

/** The picture that the service has of the article. It is enlarged together with the others. */
function ownPicture({ article: { own, article }, group }: Shown): Html | undefined {
  if (own === undefined) return undefined;
  return html`<li class="own"><button type="button" class="picture" data-article="${group}" data-kind="own" disabled><img src="${addressOf(own)}" alt="${`Picture from the catalogue: ${cut(article)}`}"></button><h3>Picture from the catalogue</h3><p>Which picture is like this one? If it shows too little, choose what is usual for such furniture.</p></li>`;
}

function addressOf({ mimeType, bytes }: ShownImage): string {
  const { buffer, byteOffset, length } = bytes;
  return `data:${mimeType};base64,${Buffer.from(buffer, byteOffset, length).toString('base64')}`;
}

function effectOf({ articles, alternatives }: OptionRecord, sampled: number): string {
  const most = (of: (effect: Effect) => number) => Math.max(0, ...alternatives.map(of));
  const area = percentage(
    most(({ areaShare }) => areaShare),
    1,
  );
  const moved = most(({ movedMillimetres }) => movedMillimetres ?? 0);
  const far = moved >= 1 ? `, and moves points by up to ${integer(moved)} mm` : '';
  return `It matters in ${integer(articles)} of ${amount(sampled, 'article')}, for up to ${area} of the surface of an article${far}.`;
}

const cut = (text: string) => cutText(text, TEXT_LIMITS.name);

/** How measurements are summed up in the results. */
import { type Measured, median, medianOf, type Paired } from './process.ts';

/** A peak in the words of the results. */
export function memoryFigure(runs: readonly Measured[]) {
  const largest = medianOf(runs, 'largestMib').toFixed(0);
  const detail = `all processes together; the largest alone ${largest} MiB; ${secondsOf(runs)}`;
  return { value: medianOf(runs, 'peakMib'), detail };
}

/** The last size against the first, by pairs; and the medians of all sizes. */
export function growthFigure(
  rounds: readonly (readonly Measured[])[],
  figure: 'seconds' | 'peakMib',
  from: string,
) {
  const value = median(rounds.map((runs) => runs.at(-1)![figure] / runs[0]![figure]));
  const sizes = rounds[0]!.map((_, i) => median(rounds.map((runs) => runs[i]![figure])));
  const unit = figure === 'seconds' ? 's' : 'MiB';
  const texts = sizes.map((size) => size.toFixed(figure === 'seconds' ? 2 : 0));
  return { value, detail: `from ${from}: ${texts.join(', ')} ${unit}` };
}

/** The value of a row that divides their time by ours, and how it was measured. */
export function theirsByOurs(paired: Paired, name: string) {
  return { value: paired.ratio, detail: pairDetail(paired, name, paired.cpuRatio) };
}

/** The value of a row that divides our time by theirs. */
export function oursByTheirs(paired: Paired, name: string) {
  return { value: 1 / paired.ratio, detail: pairDetail(paired, name, 1 / paired.cpuRatio) };
}

/** The value of a row that divides our peak memory by theirs, and both peaks. */
export function memoryByTheirs({ ours, theirs }: Paired, name: string) {
  const [mine, other] = [ours, theirs].map((runs) => {
    const program = medianOf(runs, 'programMib').toFixed(0);
    return `${medianOf(runs, 'peakMib').toFixed(0)} MiB (the program alone ${program})`;
  });
  const value = medianOf(ours, 'peakMib') / medianOf(theirs, 'peakMib');
  return { value, detail: `btg2gltf ${mine}; ${name} ${other}` };
}

/** Medians of both sides, in time and processor time, and the number of pairs. */
function pairDetail({ ours, theirs }: Paired, name: string, cpuRatio: number): string {
  const [mine, other] = [ours, theirs].map((runs) => {
    const cpu = inMs(medianOf(runs, 'cpuSeconds'));
    return `${inMs(medianOf(runs, 'seconds'))} (processors ${cpu})`;
  });
  const peak = `${medianOf(ours, 'peakMib').toFixed(0)} MiB`;
  const pairs = `${ours.length} pairs, ${cpuRatio.toPrecision(2)}× by processor time`;
  return `btg2gltf ${mine}, ${peak}; ${name} ${other}; ${pairs}`;
}

/** Seconds as milliseconds or seconds. */
export function inMs(seconds: number): string {
  return seconds < 10 ? `${(seconds * 1000).toFixed(0)} ms` : `${seconds.toFixed(1)} s`;
}

/** The median of the times of some runs, in words. */
export function secondsOf(runs: readonly Measured[]): string {
  const cpu = inMs(medianOf(runs, 'cpuSeconds'));
  const times = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  return `${inMs(medianOf(runs, 'seconds'))} (processors ${cpu}), ${times}`;
}

/** A whole number with separators. */
export function amount(value: number): string {
  return value.toLocaleString('en');
}

/** A duration in minutes, from an hour on in hours. */
export function hours(seconds: number): string {
  return seconds < 3600
    ? `${(seconds / 60).toPrecision(2)} min`
    : `${(seconds / 3600).toPrecision(3)} h`;
}

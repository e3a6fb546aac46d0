/// <reference lib="dom" />
/** Whether the texts of a page can be read. */

/** Texts with less than 4.5 : 1 between them and what is behind them; runs in the page. */
export function poorContrasts(): string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [r, g, b] = channels(color)
      .slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return (channels(color)[3] ?? 1) === 0 ? behind(element.parentElement) : color;
  };
  const poor = new Set<string>();
  for (const element of document.body.querySelectorAll('*')) {
    const says = [...element.childNodes].some(
      (n) => n.nodeType === 3 && n.textContent!.trim() !== '',
    );
    if (!says || element.tagName === 'SCRIPT') continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...poor];
}

/** A range of which articles go, come, change and change their price at once, so that every list of a publication changes. */
import { type SmallArticle, type SmallRange, smallRange } from './small-range.ts';

/** The deliveries that need no browser, and all lists. */
export const ALL_LISTS = {
  profiles: ['web'],
  gallery: true,
  feeds: {
    baseUrl: 'https://cdn.example/3d',
    productUrl: 'https://shop.example/p/{id}',
    kinds: ['jsonld', 'google', 'shopify', 'csv'],
    // Without pictures Google takes none of the articles.
    accept: ['FEED_EMPTY'],
  },
};

/** A range of four articles; `change` is what happens to it before its second publication. */
export function republishedRange(): { range: SmallRange; change(): void } {
  const articles = ['D1', 'D2', 'D3', 'd1'].map(articleOf);
  const range = smallRange(articles);
  const plain = range.article;
  let price = 1;
  range.article = (query) => {
    const found = plain(query);
    const ocd = { ...(found?.ocd as object), articlewithprice: true, price, currency: 'EUR' };
    return found && { ...found, ocd };
  };
  return {
    range,
    change() {
      price = 2;
      // D1 goes, and the folder of d1 has its plain name now; D3 goes, D4 is new.
      articles.splice(0, 4, articles[1]!, articles[3]!, articleOf('D4'));
      range.bodies.set('ACME::DESK::D2', widened());
      range.convertdate = '2024-06-01';
    },
  };
}

function articleOf(number: string): SmallArticle {
  return { number, blocks: [`ACME::DESK::${number}`] };
}

function widened(): string {
  const solid = { N: 'ACME::DESK::D2', P: [0, 0, 0], R: [0, 0, 0], T: [] };
  const surfaces = [{ F: [0, 1, 2], TI: [], C: false }];
  return JSON.stringify({ ...solid, V: [0, 0, 0, 9, 0, 0, 0, 1, 0], A: surfaces });
}

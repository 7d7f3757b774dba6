import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { OUTCOMES } from '../../contract/outcomes.ts';

const CSS = readFileSync(new URL('../../page/browser/page.css', import.meta.url), 'utf8');

it.each([...OUTCOMES, 'open'])('%s has its colour in charts and in tables', (outcome) => {
  for (const name of ['fill', 'back']) expect(CSS).toContain(`.${name}-${outcome} {`);
});

import { commandReference } from './command-reference.ts';
import { endpointTable, legacyTable, surfaceTable } from './coverage-tables.ts';
import { eventTable } from './event-table.ts';
import { exitCodeTable } from './exit-code-table.ts';
import { featureTable } from './feature-table.ts';
import { importTable, roomsPicture } from './rooms.ts';
import { priceTable } from './price-table.ts';
import { rowPicture } from './row-picture.ts';
import { pollingTable, tunableTable } from './tunable-table.ts';

/** A part of a page that is made from the code. `npm run docs` writes all of them. */
export interface GeneratedPart {
  /** From the root of the repository. */
  readonly page: string;
  /** Its name in the two marks around it. */
  readonly name: string;
  readonly make: () => string;
}

export const GENERATED_PARTS: readonly GeneratedPart[] = [
  { page: 'docs/guide/commands.md', name: 'commands', make: commandReference },
  { page: 'docs/guide/config.md', name: 'tunables', make: tunableTable },
  { page: 'docs/guide/config.md', name: 'polling', make: pollingTable },
  { page: 'docs/guide/exit-codes.md', name: 'exit codes', make: exitCodeTable },
  { page: 'docs/guide/logs.md', name: 'events', make: eventTable },
  { page: 'docs/guide/manifest.md', name: 'prices', make: priceTable },
  { page: 'docs/api-coverage.md', name: 'surfaces', make: surfaceTable },
  { page: 'docs/api-coverage.md', name: 'endpoints', make: endpointTable },
  { page: 'docs/api-coverage.md', name: 'legacy', make: legacyTable },
  { page: 'docs/architecture.md', name: 'rooms', make: roomsPicture },
  { page: 'docs/architecture.md', name: 'imports', make: importTable },
  { page: 'docs/architecture.md', name: 'features', make: featureTable },
  { page: 'docs/architecture.md', name: 'row', make: rowPicture },
];

/**
 * The page with its part as the code has it now.
 * @throws Error if the page lacks the marks of the part
 */
export function withPart(text: string, { page, name, make }: GeneratedPart): string {
  const [begin, end] = [`<!-- ${name}: made by "npm run docs" -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${page} lacks ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${make()}\n${text.slice(to)}`;
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAGES, readPage } from '../docs/pages.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { openingOf, patternOf } from '../support/guide-opening.ts';
import { runScript } from '../support/guide-walk.ts';
import { replayFolder } from '../support/replay-folder.ts';

const SIMULATE = [
  'export VOXBATCH_API_URL=http://127.0.0.1:8080/api/open/v1 VOXBATCH_API_TOKEN=rehearsal',
  'voxbatch simulate --port 8080 ${FAULTS:+--plan "$FAULTS"} > simulator.log 2>&1 &',
  'until curl -s -o /dev/null http://127.0.0.1:8080/; do :; done',
];
const LINES = 'voxbatch init tts --out lines.csv';
const TABLE = (name: string, ...lines: readonly string[]): string =>
  `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} > ${name}`;
const UP = 'voxbatch up > up.log 2>&1 & voxbatch up --wait 1m';

/** The configuration and the manifest that a page shows. */
function blocksOf(page: string): readonly string[] {
  const text = readPage(`docs/guide/${page}`);
  const block = (kind: string): string => new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? '';
  const write = (name: string, content: string): string => `cat > ${name} << 'END'\n${content}END`;
  return [write('voxbatch.config.json', block('json')), write('effects.csv', block('csv'))];
}

/** What there is before the first command of a page. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'backup.md': ['mkdir work && cd work', LINES, 'voxbatch run lines.csv'],
  'cache.md': [LINES, 'voxbatch run lines.csv', `sed -i 's/24 Grad/30 Grad/' lines.csv`],
  'commands.md': [],
  'config.md': [LINES],
  'dialects.md': [LINES],
  'exit-codes.md': [LINES],
  'hooks.md': [LINES],
  'local-media.md': [
    `cp '${join(import.meta.dirname, '../../inputs/examples/samples/anna.wav')}' .`,
    TABLE('talks.csv', 'id,audio', 'interview,anna.wav'),
  ],
  'long-text.md': [
    `{ echo id,text,voice; printf 'chapter-1,"'; for i in $(seq 120); do printf 'The harbour wakes up slowly. First the gulls come. '; done; echo '",narrator'; } > book.csv`,
    `echo '{ "textLimit": 5000 }' > voxbatch.config.json`,
  ],
  'manifest.md': [
    TABLE(
      'lines.csv',
      'id,text,voice',
      'welcome,Welcome aboard.,narrator',
      'welcome,Please have your tickets ready.,narrator',
      'museum,,storyteller',
    ),
  ],
  'metrics.md': [LINES, 'voxbatch run lines.csv'],
  'moving.md': [],
  'operations.md': [LINES, 'voxbatch run lines.csv'],
  'own-operations.md': blocksOf('own-operations.md'),
  'pipelines.md': [LINES],
  'rehearsal.md': [LINES],
  'report.md': [LINES, 'voxbatch run lines.csv'],
  'results.md': [LINES, 'voxbatch run lines.csv', 'rm -r out'],
  'schedules.md': [LINES],
  'service.md': [],
  'single-jobs.md': [],
  'sound.md': [
    TABLE(
      'book.csv',
      'id,chapter,text,voice',
      'a1,one,The harbour wakes up slowly.,narrator',
      'a2,one,First the gulls come.,narrator',
      'a3,two,The library is quiet.,storyteller',
    ),
  ],
  'temporal.md': [
    LINES,
    UP,
    'voxbatch run lines.csv',
    `export TEMPORAL_ADDRESS=127.0.0.1:$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' .voxbatch/server.json)`,
    `printf '%s\\n' '#!/bin/sh' 'exec "$VOXBATCH_TEMPORAL_CLI" "$@"' > bin/temporal; chmod +x bin/temporal`,
  ],
  'verified-speech.md': [LINES],
  'voices.md': [],
  'webhooks.md': [LINES],
};

/** What the simulator does wrong. */
const FAULTS: Readonly<Record<string, object>> = {
  'verified-speech.md': {
    rules: [{ on: 'create', operation: 'speech-job', match: { nth: 2 }, fault: { kind: 'speaks', as: 'other-words' } }],
  },
};

/** Pages that begin otherwise: other tests follow their commands, run their programs, or open what they show. */
const WITHOUT = ['cluster.md', 'library.md', 'logs.md', 'page.md', 'traces.md'];

describe('each page of the guide', () => {
  it('is known to this test', () => {
    const pages = PAGES.filter((page) => page.startsWith('docs/guide/')).map((page) =>
      page.slice('docs/guide/'.length),
    );
    expect([...Object.keys(BEFORE), ...WITHOUT].toSorted()).toEqual(pages.toSorted());
  });

  it.each(Object.keys(BEFORE))('%s begins with what one wants, a command, and what it says', async (page) => {
    const folder = freshFolder();
    const { commands, output } = openingOf(readPage(`docs/guide/${page}`));
    const faults = FAULTS[page];
    await mkdir(join(folder, 'bin'), { recursive: true });
    const own = page === 'rehearsal.md' ? [] : SIMULATE;
    const before = BEFORE[page] ?? [];
    const { stdout } = await runScript(folder, [
      ...(faults === undefined ? [] : [`echo '${JSON.stringify(faults)}' > faults.json; FAULTS=faults.json`]),
      "trap 'kill $(jobs -p) 2>/dev/null; wait; exit $code' EXIT",
      'code=1; set -e; exec 3>&1 > before.log 2>&1',
      ...own,
      ...before,
      // A command may end with another code than 0 where the page shows that; what it says is compared.
      'set +e; code=0; exec >&3 2>&1',
      commands,
    ]);
    expect(stdout).toMatch(patternOf(output));
    await replayFolder(folder);
  });
});

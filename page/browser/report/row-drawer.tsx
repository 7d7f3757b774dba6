import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportHead } from '../../../contract/report.ts';
import { Drawer } from '../drawer.tsx';
import { datedMoment, number, seconds } from '../format.ts';
import { linkTo } from './address.ts';
import { takeWords } from '../row-line.tsx';
import type { ReportRow } from './data.ts';

/** Everything that the report knows of a row. */
export function RowDrawer({
  head,
  id,
  row,
}: {
  readonly head: ReportHead;
  readonly id: string;
  /** Undefined: it is not in the report. */
  readonly row: ReportRow | undefined;
}): VNode {
  const close = (): void => {
    location.hash = linkTo({ row: undefined });
  };
  return (
    <Drawer id={id} standing={row?.outcome ?? row?.state ?? undefined} close={close}>
      {row === undefined ? <p>This report has no such row; results.csv has all.</p> : <Facts row={row} head={head} />}
    </Drawer>
  );
}

function Facts({ row, head }: { readonly row: ReportRow; readonly head: ReportHead }) {
  const cells: readonly (readonly [string, string])[] = [
    ['row', `${number(row.row)}, ${row.kind}`],
    ['voice', row.voice === null ? '' : (head.voiceNames[row.voice] ?? row.voice)],
    ['length', seconds(row.seconds)],
    ['job', seconds(row.job)],
    ['take', takeWords(row)],
    ['requests', number(row.requests)],
    ['quoted', row.quoted === null ? '' : `${number(row.quoted)} credits`],
    ['charged', `${number(row.charged)} credits`],
    ['ended', row.ended === null ? '' : datedMoment(new Date(row.ended).toISOString())],
  ];
  return (
    <>
      <Player row={row} folder={head.folder} />
      {row.failure !== null && (
        <p class="trouble">
          <strong>{row.failure.class}</strong> {row.failure.message === row.failure.class ? '' : row.failure.message}
        </p>
      )}
      {row.oddity !== null && <p class="trouble">{row.oddity}</p>}
      {row.text !== '' && (
        <section>
          <h3>Text</h3>
          <p class="read">{row.text}</p>
        </section>
      )}
      <h3>Facts</h3>
      <dl class="cells">
        {cells
          .filter(([, cell]) => cell !== '')
          .map(([name, cell]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{cell}</dd>
            </div>
          ))}
      </dl>
      <p class="faint">
        Each request and what to do: voxbatch explain {row.row} --batch {head.batch}
      </p>
    </>
  );
}

function Player({ row, folder }: { readonly row: ReportRow; readonly folder: string | null }) {
  const [isLost, setLost] = useState(false);
  if (folder === null || row.file === '') return null;
  const source = addressOf(folder + row.file);
  const lose = (): void => {
    setLost(true);
  };
  const given = {
    controls: true,
    preload: 'metadata' as const,
    src: source,
    onError: lose,
    'aria-label': `Result of ${row.id}`,
  };
  return (
    <div class="player">
      {row.media === 'audio' && <audio {...given} />}
      {row.media === 'video' && <video {...given} />}
      {isLost && <p class="trouble">Its file is not beside this report, or this browser cannot play it.</p>}
      <p class="faint">
        <a href={source}>{row.file}</a>
      </p>
    </div>
  );
}

/** A path as a relative address: names may have any character, also those that mean something in one. */
function addressOf(path: string): string {
  const address = path.split('/').map(encodeURIComponent).join('/');
  // A first name with a colon would be a scheme.
  return address.startsWith('..') ? address : `./${address}`;
}

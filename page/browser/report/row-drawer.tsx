import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportHead } from '../../../contract/report.ts';
import { Drawer } from '../drawer.tsx';
import { datedMoment, number, seconds } from '../format.ts';
import { linkTo } from './hash-query.ts';
import { formatTake } from '../row-line.tsx';
import type { ReportRow } from './report-rows.ts';

/** A drawer with everything that the report has about a row. */
export function RowDrawer({
  head,
  id,
  row,
}: {
  readonly head: ReportHead;
  readonly id: string;
  /** Undefined if the report does not list it. */
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
    ['take', formatTake(row)],
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
  const source = relativeUrl(folder + row.file);
  const attributes = {
    controls: true,
    preload: 'metadata' as const,
    src: source,
    onError: () => {
      setLost(true);
    },
    'aria-label': `Result of ${row.id}`,
  };
  return (
    <div class="player">
      {row.media === 'audio' && <audio {...attributes} />}
      {row.media === 'video' && <video {...attributes} />}
      {isLost && <p class="trouble">Its file is not beside this report, or this browser cannot play it.</p>}
      <p class="faint">
        <a href={source}>{row.file}</a>
      </p>
    </div>
  );
}

/** Returns a path as a relative URL; its names may have characters that are special in URLs. */
function relativeUrl(path: string): string {
  const url = path.split('/').map(encodeURIComponent).join('/');
  // Without `./`, a first name with a colon would be read as a scheme.
  return url.startsWith('..') ? url : `./${url}`;
}

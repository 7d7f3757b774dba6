import type { VNode } from 'preact';
import type { RowAnswer } from '../protocol.ts';
import { apiUrl } from './api-client.ts';
import { bytes, moment, seconds } from './format.ts';

/** The result of a row in use: a player of its sound or video, and its download. Null if it has no file. */
export function RowPlayer({ row, batch }: { readonly row: RowAnswer; readonly batch: string }): VNode | null {
  // The take is in the URL: browsers play a cached file while its URL stays the same.
  const source = apiUrl('media', { batch, id: row.id, take: row.takeInUse });
  if (row.storedFileLost !== null) return <p class="trouble">Its stored file is lost ({row.storedFileLost.is}).</p>;
  if (row.media === null) return null;
  const [file] = row.files;
  return (
    <div class="player">
      {row.media === 'audio' && <audio controls preload="metadata" src={source} aria-label={`Result of ${row.id}`} />}
      {row.media === 'video' && <video controls preload="metadata" src={source} aria-label={`Result of ${row.id}`} />}
      <p class="faint">
        {row.takes.length > 0 && `Take ${row.takeInUse}, in use: `}
        {file !== undefined && `${file.name}, ${bytes(file.bytes)}`} {seconds(row.seconds)}{' '}
        <a href={source} download={file?.name.split('/').at(-1) ?? ''}>
          Download
        </a>
      </p>
    </div>
  );
}

/** Every take of the row, with a player for those that are not in use. */
export function Takes({ row, batch }: { readonly row: RowAnswer; readonly batch: string }): VNode {
  const isPlayable = row.media === 'audio' || row.media === 'video';
  const takes = Array.from({ length: row.takes.at(-1)?.take ?? 1 }, (_, at) => at + 1);
  return (
    <>
      <h3>Takes</h3>
      <ul class="takes">
        {takes.map((take) => {
          const made = row.takes.find((made) => made.take === take);
          const result = row.takeResults.find((made) => made.take === take);
          const isInUse = result?.inUse === true;
          return (
            <li key={take} aria-current={isInUse ? 'true' : undefined}>
              <strong>Take {take}</strong>
              {made !== undefined && ` of ${moment(made.madeAt)} (${made.reason})`}
              {isInUse ? ', in use: its player is above.' : result === undefined ? ': no result.' : ''}
              {made?.changes.map(({ column, from, to }) => (
                <p key={column} class="faint">
                  {column}: {from || 'empty'} → {to || 'empty'}
                </p>
              ))}
              {!isInUse && result?.path != null && isPlayable && (
                <audio
                  controls
                  preload="none"
                  src={apiUrl('media', { batch, id: row.id, take })}
                  aria-label={`Take ${take}`}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

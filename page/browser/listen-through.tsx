import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowLine, RowsAnswer } from '../protocol.ts';
import { number } from './format.ts';
import { cursorQuery } from './row-pages.ts';
import { fetchAnswer, apiUrl } from './api-client.ts';

/** More rows are fetched when this many are left. */
const PREFETCH_ROWS = 5;

/** Pause between two results, ms: a key pressed in it still applies to the result just heard. */
const PAUSE_MS = 1_500;

const KEYS = [
  ['Space', 'play or pause'],
  ['→', 'next'],
  ['←', 'previous'],
  ['M', 'mark for another take'],
  ['Esc', 'end'],
] as const;

/** A player for reviewing results one after the other by keyboard; the user marks those that are to be made again. */
export function Listen({
  batch,
  filter,
  marked,
  mark,
  close,
}: {
  readonly batch: string;
  /** The row filters of the URL. */
  readonly filter: Readonly<Record<string, string>>;
  readonly marked: ReadonlySet<string>;
  readonly mark: (id: string) => void;
  readonly close: () => void;
}): VNode {
  const [at, setAt] = useState(0);
  const { rows, areAll } = usePlayableRows(batch, filter, at);
  const player = useRef<HTMLVideoElement>(null);
  const row = rows[at];
  /** The index of the result that has played to its end; undefined while one plays. */
  const [finished, setFinished] = useState<number | undefined>(undefined);
  const isPausing = finished === at && at < rows.length - 1;

  useEffect(() => {
    // A browser may refuse to play before the user's first key or click.
    void player.current?.play().catch(() => undefined);
  }, [row?.id]);

  useEffect(() => {
    if (!isPausing) return undefined;
    const timer = setTimeout(() => {
      step(1);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isPausing, at]);

  const step = (by: number): void => {
    setFinished(undefined);
    setAt((before) => Math.min(Math.max(0, before + by), Math.max(0, rows.length - 1)));
  };
  useKeys({
    ' ': () => {
      if (player.current?.paused === true) void player.current.play();
      else player.current?.pause();
    },
    ArrowRight: () => {
      step(1);
    },
    ArrowLeft: () => {
      step(-1);
    },
    m: () => {
      if (row !== undefined) mark(row.id);
    },
    Escape: close,
  });

  return (
    <section class="listen" aria-label="Listen">
      {row === undefined ? (
        <p>{areAll ? 'No row here has a sound.' : 'Looking for results …'}</p>
      ) : (
        <>
          <div class="title">
            <strong>{row.id}</strong>
            <span class="faint">
              {number(at + 1)} of {number(rows.length)}
              {areAll ? '' : '+'}
            </span>
            <button
              type="button"
              aria-pressed={marked.has(row.id)}
              onClick={() => {
                mark(row.id);
              }}
            >
              {marked.has(row.id) ? 'Marked for another take' : 'Mark for another take'}
            </button>
            <button type="button" class="end" onClick={close}>
              End
            </button>
          </div>
          <p class="read">{row.text}</p>
          <video
            ref={player}
            controls
            class={row.media === 'audio' ? 'sound' : ''}
            src={apiUrl('media', { batch, id: row.id, take: row.takeInUse })}
            aria-label={`Result of ${row.id}`}
            onEnded={() => {
              setFinished(at);
            }}
            onPlay={() => {
              setFinished(undefined);
            }}
          />
          <p class="faint pause" role="status">
            {isPausing && `Next in ${PAUSE_MS / 1_000} s: M still marks ${row.id}`}
          </p>
        </>
      )}
      <p class="faint keys">
        {KEYS.map(([key, does]) => (
          <span key={key}>
            <kbd>{key}</kbd> {does}
          </span>
        ))}
      </p>
    </section>
  );
}

/** Fetches rows with a result that can be played, some ahead of the one at index `at`. `areAll`: no more follow. */
function usePlayableRows(batch: string, filter: Readonly<Record<string, string>>, at: number) {
  const [rows, setRows] = useState<readonly RowLine[]>([]);
  const next = useRef<RowsAnswer['next'] | undefined>(undefined);
  const isLoading = useRef(false);
  useEffect(() => {
    if (rows.length - at > PREFETCH_ROWS || next.current === null || isLoading.current) return;
    isLoading.current = true;
    void fetchAnswer<RowsAnswer>('rows', { batch, outcome: 'succeeded', ...filter, ...cursorQuery(next.current) })
      .then((answer) => {
        next.current = answer.next;
        setRows((before) => [...before, ...answer.rows.filter(({ media }) => media === 'audio' || media === 'video')]);
      })
      .finally(() => {
        isLoading.current = false;
      });
  }, [at, rows]);
  return { rows, areAll: next.current === null };
}

/** Runs the action of a key that is pressed, unless the key means something to what has the focus. */
function useKeys(actions: Readonly<Record<string, (() => void) | undefined>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as Element;
      if (target.closest('input, select, textarea, dialog') !== null || event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (event.key === ' ' && target.closest('button, a, video') !== null) return;
      const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
    };
  });
}

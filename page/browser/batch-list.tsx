import type { VNode } from 'preact';
import type { BatchLine } from '../protocol.ts';
import { moment, number, rowCounts } from './format.ts';
import { Bar } from './figures.tsx';
import { batchPath } from './location.ts';
import { fetchAnswer, useAnswer, useTicks } from './api-client.ts';
import { HeaderCells } from './header-cells.tsx';

const POLL_INTERVAL_MS = 3_000;

/** The list of all batches, the newest first. */
export function BatchList(): VNode {
  const tick = useTicks(POLL_INTERVAL_MS);
  const { value: batches, trouble } = useAnswer(
    'batches',
    (signal) => fetchAnswer<readonly BatchLine[]>('batches', {}, signal),
    tick,
  );
  return (
    <>
      <h1>Batches</h1>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {batches?.length === 0 && <p>There is no batch here yet. Start one: voxbatch run MANIFEST</p>}
      {batches !== undefined && batches.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <HeaderCells
                  columns={['Batch', 'State', ['Progress', 'wide'], ['Done', 'right'], ['Credits', 'right'], 'Created']}
                />
              </tr>
            </thead>
            <tbody>
              {batches.map((line) => (
                <tr key={line.batch}>
                  <td>
                    <a href={batchPath(line.batch)}>{line.batch}</a>
                  </td>
                  <td>{line.standing}</td>
                  <td>
                    <Bar counts={rowCounts(line)} rows={line.rows} />
                  </td>
                  <td class="right">
                    {number(line.done)} of {number(line.rows - line.notChosen)}
                  </td>
                  <td class="right">
                    {number(line.credits.charged)}
                    {line.budget !== null && <span class="faint"> of {number(line.budget)}</span>}
                  </td>
                  <td>{moment(line.createdAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionAnswer, StatusAnswer } from '../protocol.ts';
import { CommandOutput } from './confirm-dialog.tsx';
import { useAction } from './api-client.ts';

/** Buttons that pause, resume, tune and stop a batch, as the commands of these names do. */
export function BatchControls({ status }: { readonly status: StatusAnswer }): VNode | null {
  const { batch, state, control } = status;
  const { isBusy, post } = useAction<ActionAnswer>();
  const [output, setOutput] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<'tune' | 'stop' | undefined>();
  const done = ({ lines }: ActionAnswer): void => {
    setShown(undefined);
    setOutput(lines.length > 0 ? lines : ['Done.']);
  };
  const failed = (message: string): void => {
    setOutput([message]);
  };
  const act = (name: string, body: object): void => {
    setOutput([]);
    post(name, { batch, ...body }, done, failed);
  };
  const button = (label: string, press: () => void, attributes: object = {}): VNode => (
    <button type="button" disabled={isBusy} onClick={press} {...attributes}>
      {label}
    </button>
  );
  const toggle = (what: 'tune' | 'stop') => (): void => {
    setShown((before) => (before === what ? undefined : what));
  };
  return (
    <div class="controls">
      <div class="turn">
        {state === 'open' &&
          control === 'running' &&
          button('Pause', () => {
            act('control', { what: 'pause' });
          })}
        {state === 'open' &&
          control === 'paused' &&
          button('Resume', () => {
            act('control', { what: 'resume' });
          })}
        {button('Tune …', toggle('tune'), { 'aria-expanded': shown === 'tune' })}
        {state === 'open' &&
          control !== 'stopping' &&
          button('Stop …', toggle('stop'), { 'aria-expanded': shown === 'stop' })}
      </div>
      {shown === 'stop' && (
        <div class="panel">
          <p>Nothing more is sent, running jobs are still fetched, and the rest is cancelled. This cannot be undone.</p>
          {button(
            'Stop the batch for good',
            () => {
              act('control', { what: 'stop' });
            },
            { class: 'main' },
          )}
        </div>
      )}
      {shown === 'tune' && (
        <Tune
          status={status}
          isBusy={isBusy}
          act={(body) => {
            act('tune', body);
          }}
        />
      )}
      <CommandOutput lines={output} />
    </div>
  );
}

/** A form with the settings that the page can tune. An empty field leaves its setting as it is. */
function Tune({
  status,
  isBusy,
  act,
}: {
  readonly status: StatusAnswer;
  readonly isBusy: boolean;
  readonly act: (body: object) => void;
}) {
  const [rate, setRate] = useState(String(status.limits.rate ?? ''));
  const [budget, setBudget] = useState(String(status.budget ?? ''));
  return (
    <form
      class="panel filters"
      onSubmit={(event) => {
        event.preventDefault();
        act({ rate, budget });
      }}
    >
      <label>
        Paid requests a second
        <input
          value={rate}
          onInput={(event) => {
            setRate(event.currentTarget.value);
          }}
        />
      </label>
      <label>
        Budget, in credits (none: no limit)
        <input
          value={budget}
          onInput={(event) => {
            setBudget(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit" class="main" disabled={isBusy}>
        Set
      </button>
    </form>
  );
}

import type { RowSpec } from '../../contract/row-kinds.ts';
import type { LedgerEntry, Simulator } from '../../simulator/start-simulator.ts';
import { tts, type Rule } from './rows.ts';

/** What the simulator counted, by route and status. */
interface Statistics {
  readonly paidRequests: number;
  readonly endpoints: Readonly<Record<string, Record<string, number>>>;
  readonly creates: readonly { readonly at: number }[];
  readonly foreignAuthorizations: number;
}

/** The simulator of a test: what it was asked for, and how it is changed while it runs. */
export class RunningService {
  readonly simulator: Simulator;

  constructor(simulator: Simulator) {
    this.simulator = simulator;
  }

  /** Accepted paid requests: the only count of charges that counts. */
  charges(): LedgerEntry[] {
    return this.simulator.ledger();
  }

  /** What was charged for, in order. */
  operations(): readonly string[] {
    return this.charges().map(({ operation }) => operation);
  }

  /** Every paid request that came in, accepted or not. */
  async paidRequests(): Promise<number> {
    return (await this.statistics()).paidRequests;
  }

  /** What the simulator counted, by route and status. */
  async statistics(): Promise<Statistics> {
    const answer = await fetch(new URL('/__simulator/stats', this.simulator.url));
    return (await answer.json()) as Statistics;
  }

  /** Status reads of speech jobs so far. */
  async reads(): Promise<number> {
    const { endpoints } = await this.statistics();
    return Object.values(endpoints['GET /speech/tts/jobs/:id'] ?? {}).reduce((sum, count) => sum + count, 0);
  }

  /** Changes the simulator while it runs: its fault plan, or its account. */
  async change(what: 'plan' | 'settings', value: unknown): Promise<void> {
    const answer = await fetch(new URL(`/__simulator/${what}`, this.simulator.url), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** From now on the service has these faults, and no others. */
  plan(...rules: readonly Rule[]): Promise<void> {
    return this.change('plan', { rules });
  }

  /** A request that another program makes with the same account. Returns the answer. */
  async post(path: string, body: object | FormData): Promise<unknown> {
    const isForm = body instanceof FormData;
    const answer = await fetch(this.simulator.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.simulator.token}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  /** The job of a row's first step that another program, or a ledger that was lost, made with the same account; its id. */
  async makeJob(spec: RowSpec = tts()): Promise<string> {
    if (spec.kind === 'lip-sync')
      await this.post('/media/lip-sync/jobs', { videoUrl: spec.video, audioUrl: spec.audio });
    else await this.post('/speech/tts/jobs', { text: spec.text, voiceId: spec.voice });
    return this.charges().at(-1)?.jobId ?? '';
  }
}

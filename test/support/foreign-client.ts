import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { waitFor } from './wait-for.ts';

/**
 * Somebody else who reaches the Temporal server, as a process of its own: starts our workflows, and has our activities scheduled by a workflow of its own.
 * Takes a {@link ForeignOrder} as its argument, waits until all has ended, and prints what became of it as JSON: {@link ForeignReport}.
 */
export interface ForeignOrder {
  readonly address: string;
  /** The task queue of our worker. */
  readonly taskQueue: string;
  readonly workflows: readonly { readonly type: string; readonly id: string; readonly input: unknown }[];
  readonly activities: readonly { readonly type: string; readonly input: unknown }[];
}

/** What became of each, in the same order: a result, or the message of the failure. */
export interface ForeignReport {
  readonly uid: number;
  readonly workflows: readonly string[];
  readonly activities: readonly string[];
}

const NAMESPACE = 'default';
/** The server answers a poll within a minute, ms. */
const MAX_POLL_MS = 90_000;
const OWN_QUEUE = 'foreign';
const OWN_WORKFLOW = 'foreign';

type Command = NonNullable<
  Parameters<Client['workflowService']['respondWorkflowTaskCompleted']>[0]['commands']
>[number];
type CommandType = NonNullable<Command['commandType']>;
/** Of temporal.api.enums.v1.CommandType, which the client does not export. */
const SCHEDULE_ACTIVITY = 1 as unknown as CommandType;
const COMPLETE_WORKFLOW = 4 as unknown as CommandType;

async function main({ address, taskQueue, workflows, activities }: ForeignOrder): Promise<ForeignReport> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    const handles = [];
    for (const { type, id, input } of workflows)
      handles.push(await client.workflow.start(type, { workflowId: id, taskQueue, args: [input] }));
    const ended = handles.map((handle) =>
      handle.result().then(
        (value) => JSON.stringify(value),
        (error: unknown) => messageOf(error),
      ),
    );
    const answers = await runActivities(client, taskQueue, activities);
    return { uid: process.getuid?.() ?? -1, workflows: await Promise.all(ended), activities: answers };
  } finally {
    await connection.close();
  }
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : String(error);
}

/** Answers the tasks of a workflow by hand, as a worker would. */
async function runActivities(
  { workflow, workflowService, connection }: Client,
  taskQueue: string,
  activities: ForeignOrder['activities'],
): Promise<readonly string[]> {
  const handle = await workflow.start(OWN_WORKFLOW, { workflowId: OWN_WORKFLOW, taskQueue: OWN_QUEUE });
  const poll = { namespace: NAMESPACE, taskQueue: { name: OWN_QUEUE } };
  const nextTask = async (): Promise<Uint8Array> => {
    for (;;) {
      const ask = (): ReturnType<typeof workflowService.pollWorkflowTaskQueue> =>
        workflowService.pollWorkflowTaskQueue(poll);
      const { taskToken } = await connection.withDeadline(Date.now() + MAX_POLL_MS, ask);
      // Without one, none came within the server's patience.
      if (taskToken.length > 0) return taskToken;
    }
  };
  const first = await nextTask();
  const scheduled = activities.map(({ type, input }, at) => ({
    commandType: SCHEDULE_ACTIVITY,
    scheduleActivityTaskCommandAttributes: {
      activityId: String(at),
      activityType: { name: type },
      taskQueue: { name: taskQueue },
      input: { payloads: toPayloads(defaultPayloadConverter, input) ?? [] },
      startToCloseTimeout: { seconds: 60 as unknown as Long },
      heartbeatTimeout: { seconds: 30 as unknown as Long },
      retryPolicy: { initialInterval: { seconds: 1 as unknown as Long } },
    },
  }));
  await workflowService.respondWorkflowTaskCompleted({
    namespace: NAMESPACE,
    taskToken: first,
    commands: scheduled,
  });
  // The workflows of the world are replayed in the end, and our worker knows none of this kind.
  const forget = async (): Promise<void> => {
    await workflowService.deleteWorkflowExecution({
      namespace: NAMESPACE,
      workflowExecution: { workflowId: OWN_WORKFLOW },
    });
    const query = `WorkflowType = "${OWN_WORKFLOW}"`;
    await waitFor(async () => (await workflow.count(query)).count === 0);
  };
  const answers = new Map<number, string>();
  while (answers.size < activities.length) {
    const taskToken = await nextTask();
    const { events = [] } = await handle.fetchHistory();
    for (const event of events ?? []) {
      const failed = event.activityTaskFailedEventAttributes;
      const completed = event.activityTaskCompletedEventAttributes;
      const { scheduledEventId } = failed ?? completed ?? {};
      const begun = (events ?? []).find(({ eventId }) => String(eventId) === String(scheduledEventId));
      const id = begun?.activityTaskScheduledEventAttributes?.activityId;
      if (id === undefined || id === null) continue;
      const [payload] = completed?.result?.payloads ?? [];
      const value = payload == null ? undefined : defaultPayloadConverter.fromPayload(payload);
      answers.set(Number(id), failed?.failure?.message ?? JSON.stringify(value));
    }
    const isOver = answers.size === activities.length;
    await workflowService.respondWorkflowTaskCompleted({
      namespace: NAMESPACE,
      taskToken,
      commands: isOver ? [{ commandType: COMPLETE_WORKFLOW, completeWorkflowExecutionCommandAttributes: {} }] : [],
    });
  }
  await forget();
  return activities.map((_, at) => answers.get(at) ?? '');
}

process.stdout.write(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '') as ForeignOrder)));

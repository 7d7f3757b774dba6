import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ProcessEvent } from '../contract/log-events.ts';
import { snakeName } from '../contract/snake-case.ts';

/**
 * Installs the SDK's runtime, of which a process has one at a time: its own log goes to ours, its metrics to this
 * exporter (default: none). Returns the one that is there, if there is one: of an earlier call, or of the program that
 * we are in.
 */
export function installRuntime(log: Logger, metrics?: TelemetryOptions['metrics']): Runtime {
  try {
    return Runtime.install({
      shutdownSignals: [],
      logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
        const event: ProcessEvent = 'temporal';
        log[level === 'ERROR' ? 'error' : 'warn']({ event, ...withoutPayloads(meta) }, message);
      }),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
        ...(metrics === undefined ? {} : { metrics }),
      },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    return Runtime.instance();
  }
}

/** Keeps only ids and errors from the SDK's log entries, never payloads. */
function withoutPayloads(meta: Record<string | symbol, unknown> | undefined): Record<string, unknown> {
  const kept = ['workflowId', 'activityType', 'workflowType', 'attempt'] as const;
  const error = meta?.['error'];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (meta?.[name] === undefined ? [] : [[snakeName(name), meta[name]]]))),
    ...(error instanceof Error ? { error: error.message } : {}),
  };
}

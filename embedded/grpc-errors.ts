import { isGrpcServiceError, ScheduleNotFoundError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';

/** Status codes of gRPC. */
export const GRPC = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** The gRPC error of a failed call, from the server or a proxy on the way; undefined if the error is none. */
export function grpcErrorIn(error: unknown): (Error & { readonly code: number; readonly details: string }) | undefined {
  const answer = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(answer) ? answer : undefined;
}

/** Whether a call failed with this code. */
export function hasCode(error: unknown, code: (typeof GRPC)[keyof typeof GRPC]): boolean {
  const found: number | undefined = grpcErrorIn(error)?.code;
  return found === code;
}

/** Whether the server does not know what a call was about, as its client says it, or the raw call. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError || error instanceof ScheduleNotFoundError || hasCode(error, GRPC.NOT_FOUND)
  );
}

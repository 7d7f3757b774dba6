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

/**
 * Returns the gRPC error in a failed call's error, from the server or a proxy in between; undefined if there is none.
 */
export function grpcErrorIn(error: unknown): (Error & { readonly code: number; readonly details: string }) | undefined {
  const answer = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(answer) ? answer : undefined;
}

/** Returns whether a call failed with this gRPC status code. */
export function hasCode(error: unknown, code: (typeof GRPC)[keyof typeof GRPC]): boolean {
  const found: number | undefined = grpcErrorIn(error)?.code;
  return found === code;
}

/** Returns whether a call failed because the server has no such workflow, schedule or other entity. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError || error instanceof ScheduleNotFoundError || hasCode(error, GRPC.NOT_FOUND)
  );
}

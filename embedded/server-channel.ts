/**
 * How a client reaches a Temporal server of this machine. It would ask the proxy of `https_proxy`, `http_proxy` or
 * `grpc_proxy` for a tunnel even to there. A worker's connection knows no such variables.
 */
export const WITHOUT_PROXY = { channelArgs: { 'grpc.enable_http_proxy': 0 } } as const;

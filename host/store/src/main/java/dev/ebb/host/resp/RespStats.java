package dev.ebb.host.resp;

/**
 * The statistics of the RESP server.
 *
 * @param accepting whether new clients are accepted
 * @param connections open ones
 * @param connectionsEver opened since the start
 * @param commands executed or refused since the start
 */
public record RespStats(boolean accepting, int connections, long connectionsEver, long commands) {}

package dev.ebb.host.resp;

/**
 * The statistics of the RESP server.
 *
 * @param accepting whether new clients are taken
 * @param connections open ones
 * @param connectionsEver opened since the start
 * @param commands carried out or refused since the start
 */
public record RespStats(boolean accepting, int connections, long connectionsEver, long commands) {}

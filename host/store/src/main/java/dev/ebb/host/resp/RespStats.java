package dev.ebb.host.resp;

/**
 * The clients' door in numbers.
 *
 * @param accepting whether new clients are taken
 * @param connections open ones
 * @param connectionsEver opened since the start
 * @param commands carried out or refused since the start
 */
public record RespStats(boolean accepting, int connections, long connectionsEver, long commands) {}

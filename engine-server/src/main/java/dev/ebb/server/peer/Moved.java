package dev.ebb.server.peer;

/**
 * The result of a move.
 *
 * @param sequence its number in the engine that it has left
 * @param to the URL of the other engine
 * @param tokens those of prompt and answer so far
 * @param blocks the blocks that were copied, and need not be computed again
 * @param bytes their size
 * @param pauseMillis how long no engine computed it
 */
public record Moved(
    long sequence, String to, int tokens, int blocks, long bytes, long pauseMillis) {}

package dev.ebb.host.hint;

import java.time.Instant;

/**
 * What became of an action, for the log.
 *
 * @param request the client's name of the request
 * @param message the sender's id of the envelope
 */
public record HintRecord(
    Instant time, String tenant, String request, String message, HintResult result) {}

package dev.ebb.host.hint;

/**
 * What became of one action of an envelope.
 *
 * @param action the sender's id of the action; may be empty
 * @param type the type of the action; may be empty
 * @param reason why it was ignored, refused or changed; empty if there is nothing to say
 */
public record HintResult(String action, String type, HintOutcome outcome, String reason) {}

package dev.ebb.server.peer;

import dev.ebb.host.openai.CompletionRequest;

/**
 * A sequence that goes on in another engine. The engine reads the request as its own clients'.
 *
 * @param chat whether the request is for a chat
 * @param owner the tenant of the client's API key; empty if it has none
 * @param maxTokens the most tokens of the answer
 * @param seed the seed of this answer
 * @param prompt its tokens
 * @param answer the tokens so far
 */
@SuppressWarnings("ArrayRecordComponent")
public record MovedSequence(
    PeerModel model,
    CompletionRequest request,
    boolean chat,
    String owner,
    int maxTokens,
    int seed,
    int[] prompt,
    int[] answer) {}

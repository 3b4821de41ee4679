package dev.ebb.host.client;

import tools.jackson.databind.JsonNode;

/**
 * What a call brought.
 *
 * @param text the document as the server wrote it
 * @param document the same, read
 */
public record Answer(String text, JsonNode document) {}

package dev.ebb.server.tools;

import tools.jackson.databind.JsonNode;

/**
 * A function that a model can call.
 *
 * @param definition as the client sent it
 * @param parameters the schema of its arguments
 */
public record Tool(String name, JsonNode definition, JsonNode parameters) {}

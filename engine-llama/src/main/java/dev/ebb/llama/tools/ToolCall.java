package dev.ebb.llama.tools;

/**
 * A call of a function.
 *
 * @param arguments a JSON object, as text
 */
public record ToolCall(String name, String arguments) {}

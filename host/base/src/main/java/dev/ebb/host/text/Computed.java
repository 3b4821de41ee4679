package dev.ebb.host.text;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A value of a template that is computed from the document. */
public record Computed<T>(String name, Function<T, @Nullable Object> get) {}

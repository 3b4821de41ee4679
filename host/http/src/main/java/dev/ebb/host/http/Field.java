package dev.ebb.host.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query parameter, or a property of a request body.
 *
 * @param min the least number; null without a bound
 * @param max the largest number; null without a bound
 * @param otherwise the value of a missing integer; null if there is none
 */
public record Field(
    String name,
    Type type,
    String description,
    boolean required,
    @Nullable Number min,
    @Nullable Number max,
    @Nullable Long otherwise) {

  /** The JSON type of a field. */
  public enum Type {
    TEXT,
    /** An integer of 64 bits. */
    INTEGER,
    NUMBER,
    FLAG,
    TEXTS,
    /** An array of integers of 32 bits. */
    INTEGERS,
    /** An array of integers of 64 bits, with or without a sign. */
    LONGS,
    /** An object with any properties. */
    OBJECT
  }

  /** Returns an optional field that is not a number. */
  public static Field of(String name, Type type, String description) {
    return new Field(name, type, description, false, null, null, null);
  }

  public static Field text(String name, String description) {
    return of(name, Type.TEXT, description);
  }

  /** Returns an optional integer of at least {@code min}. */
  public static Field integer(String name, long min, String description) {
    return new Field(name, Type.INTEGER, description, false, min, null, null);
  }

  /** Returns an optional integer in a range. */
  public static Field integer(String name, long min, long max, String description) {
    return new Field(name, Type.INTEGER, description, false, min, max, null);
  }

  /** Returns an optional number in a range. */
  public static Field number(String name, double min, double max, String description) {
    return new Field(name, Type.NUMBER, description, false, min, max, null);
  }

  /** Returns the same field, which every request must have. */
  public Field needed() {
    return new Field(name, type, description, true, min, max, otherwise);
  }

  /** Returns the same integer with a default. */
  public Field or(long value) {
    return new Field(name, type, description, required, min, max, value);
  }

  /** Returns whether an integer is within the bounds. */
  boolean allows(long value) {
    return value >= least() && value <= largest();
  }

  /** Returns the bounds of an integer in words. */
  String range() {
    return "from %d to %d".formatted(least(), largest());
  }

  private long least() {
    return min == null ? Long.MIN_VALUE : min.longValue();
  }

  private long largest() {
    return max == null ? Long.MAX_VALUE : max.longValue();
  }

  static Field named(String name, List<Field> fields) {
    return fields.stream()
        .filter(field -> field.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("the operation has no '" + name + "'"));
  }

  static List<String> names(List<Field> fields) {
    return fields.stream().map(Field::name).sorted().toList();
  }
}

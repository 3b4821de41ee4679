package dev.ebb.host.errors;

import java.util.ArrayList;
import java.util.List;

/**
 * Text from plugins and other untrusted sources, made safe to show: short, and without control
 * characters for terminals or logs. Even the methods of a plugin's exception are not trusted.
 */
public final class UntrustedText {

  private static final int LONGEST_LINE = 500;
  private static final int LONGEST_STACK = 16_384;
  private static final int LONGEST_PART = 4_096;
  private static final int MOST_CAUSES = 8;
  private static final char REPLACEMENT = '\uFFFD';

  private UntrustedText() {}

  /** Returns a text on one line: 500 characters of it, and "..." if there are more. */
  public static String line(String text) {
    boolean fits = text.length() <= LONGEST_LINE;
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < (fits ? text.length() : LONGEST_LINE); i++) {
      line.append(harmless(text.charAt(i)));
    }
    return fits ? line.toString() : line.append("...").toString();
  }

  private static char harmless(char c) {
    return switch (Character.getType(c)) {
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> ' ';
      case Character.CONTROL -> Character.isWhitespace(c) ? ' ' : REPLACEMENT;
      case Character.FORMAT -> REPLACEMENT;
      default -> c;
    };
  }

  /** Returns the message of an exception as it is; empty if it has none, or throws one. */
  public static String message(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null ? "" : message;
    } catch (Throwable alsoThrown) {
      return "";
    }
  }

  /** Returns an exception on one line: its class and its message. */
  public static String of(Throwable thrown) {
    String message = message(thrown);
    return line(thrown.getClass().getName() + (message.isEmpty() ? "" : ": " + message));
  }

  /** Returns an exception and its causes, itself first, up to a limit. */
  public static List<Throwable> causes(Throwable thrown) {
    List<Throwable> causes = new ArrayList<>();
    try {
      for (Throwable each = thrown;
          each != null && causes.size() < MOST_CAUSES;
          each = each.getCause()) {
        causes.add(each);
      }
    } catch (Throwable alsoThrown) {
      // The exception is a plugin's: its getCause() may throw too.
    }
    return causes;
  }

  /**
   * Returns the stack frames of an exception, innermost first; empty if it does not provide them.
   */
  public static List<StackTraceElement> frames(Throwable thrown) {
    try {
      return List.of(thrown.getStackTrace());
    } catch (Throwable alsoThrown) {
      return List.of();
    }
  }

  /** Returns the stack trace of an exception and its causes as a JVM prints it, but shortened. */
  public static String stack(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    for (Throwable each : causes(thrown)) {
      if (text.length() < LONGEST_STACK) {
        text.append(text.isEmpty() ? "" : "Caused by: ").append(part(each));
      }
    }
    return text.toString();
  }

  /** Returns the stack of a running thread as a JVM prints it, but shortened. */
  public static String stack(Thread thread) {
    return withFrames(new StringBuilder(), List.of(thread.getStackTrace())).toString();
  }

  private static StringBuilder part(Throwable thrown) {
    return withFrames(new StringBuilder(of(thrown)).append(System.lineSeparator()), frames(thrown));
  }

  private static StringBuilder withFrames(StringBuilder text, List<StackTraceElement> frames) {
    for (StackTraceElement frame : frames) {
      if (text.length() > LONGEST_PART) {
        return text.append("\t...").append(System.lineSeparator());
      }
      text.append("\tat ").append(line(frame.toString())).append(System.lineSeparator());
    }
    return text;
  }
}

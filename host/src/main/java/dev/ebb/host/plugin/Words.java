package dev.ebb.host.plugin;

import java.util.ServiceConfigurationError;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in words what a plugin's exception means for its author. */
final class Words {

  private static final Pattern CLASS_FILE = Pattern.compile("^(\\S+) .*class file version (\\d+)");

  /** Where the loader found a service's file: in the staged copy, which its author never sees. */
  private static final Pattern PLACE = Pattern.compile("^jar:\\S+!/META-INF/services/[^:]+:");

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  /** Java 1.1 wrote class files of version 45. */
  private static final int CLASS_FILE_BEFORE_JAVA_1 = 44;

  private Words() {}

  static String of(Throwable thrown) {
    return switch (thrown) {
      case ServiceConfigurationError error -> ofService(error);
      case UnsupportedClassVersionError error -> ofClassVersion(error);
      case ExceptionInInitializerError error when error.getException() != null ->
          of(error.getException());
      case ClassFormatError error ->
          "a class file is damaged (" + plain(error) + "); build the JAR anew, or copy it again";
      case NoClassDefFoundError error -> missing(message(error));
      case ClassNotFoundException error -> missing(message(error));
      case LinkageError error ->
          "it was built against other versions of the classes it uses ("
              + plain(error)
              + "); compile it anew, and pack its libraries into the JAR";
      default -> plain(thrown);
    };
  }

  /** The line of the plugin's class that an exception came through, if it is known. */
  static String where(Throwable thrown, String type) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      for (StackTraceElement frame : each.getStackTrace()) {
        if (frame.getClassName().equals(type)) {
          return ", at " + frame;
        }
      }
    }
    return "";
  }

  private static String ofService(ServiceConfigurationError error) {
    // The message starts with the service's name, which the reader knows from the file's.
    String said = message(error).replaceFirst("^dev\\.ebb\\.spi\\.\\w+: ", "");
    String type = said.replaceFirst("^Provider ", "").split(" ", 2)[0];
    if (error.getCause() instanceof NoSuchMethodException) {
      return type + " must be a public class with a public constructor without parameters";
    }
    if (error.getCause() != null) {
      return of(error.getCause());
    }
    if (said.endsWith(" not found")) {
      return type + " is listed there, and is not in the JAR";
    }
    if (said.endsWith(" not a subtype")) {
      String service = message(error).split(":", 2)[0];
      return "%s is listed there, and does not implement %s; list the class that does"
          .formatted(type, service);
    }
    if (said.indexOf(BYTE_ORDER_MARK) >= 0) {
      return "the file begins with a byte order mark (U+FEFF), which is in no class name; save it as"
          + " UTF-8 without one";
    }
    return PLACE.matcher(said).replaceFirst("line ");
  }

  private static String ofClassVersion(UnsupportedClassVersionError error) {
    Matcher matcher = CLASS_FILE.matcher(message(error));
    int running = Runtime.version().feature();
    if (!matcher.find()) {
      return plain(error);
    }
    return "%s was compiled for Java %d, and this is Java %d; compile it with --release %d or lower"
        .formatted(
            matcher.group(1).replace('/', '.'),
            Integer.parseInt(matcher.group(2)) - CLASS_FILE_BEFORE_JAVA_1,
            running,
            running);
  }

  private static String missing(String name) {
    return "the class '"
        + name.replace('/', '.')
        + "' is missing: a plugin sees the JDK, dev.ebb.spi and its own JAR, so pack it there";
  }

  private static String plain(Throwable thrown) {
    String message = message(thrown);
    return thrown.getClass().getName() + (message.isEmpty() ? "" : ": " + message);
  }

  /** An exception of a plugin's own may throw even here. */
  private static String message(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null ? "" : message;
    } catch (Throwable alsoThrown) {
      return "";
    }
  }
}

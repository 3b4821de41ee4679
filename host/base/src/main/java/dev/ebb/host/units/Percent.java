package dev.ebb.host.units;

import dev.ebb.host.errors.UserError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Percent-encoding of bytes (RFC 3986): letters, digits and unreserved signs as they are, all
 * others as a percent sign and two hexadecimal digits.
 */
public final class Percent {

  private static final String PLAIN = "-._~!$'()*,;:@=";
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private Percent() {}

  /** Encodes bytes as text that can be used in a path or query. */
  public static String encode(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length + 16);
    for (byte each : bytes) {
      char c = (char) (each & 0xFF);
      if ((c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || PLAIN.indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append('%').append(HEX.toHexDigits(each));
      }
    }
    return text.toString();
  }

  public static String encode(String text) {
    return encode(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Decodes bytes; fails if two hexadecimal digits do not follow a percent sign. */
  public static byte[] decode(String text) {
    byte[] given = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(given.length);
    for (int i = 0; i < given.length; i++) {
      if (given[i] != '%') {
        bytes.write(given[i]);
      } else {
        if (i + 2 >= given.length
            || !HexFormat.isHexDigit(given[i + 1])
            || !HexFormat.isHexDigit(given[i + 2])) {
          throw new UserError(
              "'%s' has a percent sign without two hexadecimal digits; write a percent sign as %%25"
                  .formatted(text));
        }
        bytes.write(
            HexFormat.fromHexDigit(given[i + 1]) << 4 | HexFormat.fromHexDigit(given[i + 2]));
        i += 2;
      }
    }
    return bytes.toByteArray();
  }

  /** Decodes a text in UTF-8, as {@link #decode} does bytes. */
  public static String decodeText(String text) {
    return new String(decode(text), StandardCharsets.UTF_8);
  }
}

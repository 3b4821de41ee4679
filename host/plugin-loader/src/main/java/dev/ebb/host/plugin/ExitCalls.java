package dev.ebb.host.plugin;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the calls in a class file that would end the process. The call then throws {@link
 * NoSuchMethodError}, whose message contains {@link #NAME}. Only the constant pool changes, so the
 * code and its line numbers stay. Reflection can still end the process.
 */
final class ExitCalls {

  /** The name of a method that does not exist. */
  static final String NAME = "pluginMustNotEndTheProcess";

  private static final Set<String> CLASSES = Set.of("java/lang/System", "java/lang/Runtime");
  private static final Set<String> METHODS = Set.of("exit", "halt");
  private static final String TYPE = "(I)V";

  private static final int COUNT_AT = 8;
  private static final int MOST_CONSTANTS = 0xffff;
  private static final int UTF8 = 1;
  private static final int METHOD = 10;

  private final ByteBuffer file;
  private final int[] offsets;
  private int end;

  private ExitCalls(byte[] classFile) {
    file = ByteBuffer.wrap(classFile);
    offsets = new int[Short.toUnsignedInt(file.getShort(COUNT_AT))];
    end = COUNT_AT + Short.BYTES;
    for (int i = 1; i < offsets.length; i++) {
      offsets[i] = end;
      int tag = file.get(end);
      end += 1 + length(tag);
      // A long or a double takes two places.
      i += tag == 5 || tag == 6 ? 1 : 0;
    }
  }

  /**
   * Returns the class file without such calls.
   *
   * @return null if it has none, or is damaged
   */
  static byte @Nullable [] replaced(byte[] classFile) {
    try {
      return new ExitCalls(classFile.clone()).replaced();
    } catch (IndexOutOfBoundsException | IllegalArgumentException damaged) {
      return null;
    }
  }

  private byte @Nullable [] replaced() {
    boolean found = false;
    // At the end, the pool gets the name, and the name with the type.
    int nameAndType = offsets.length + 1;
    for (int i = 1; i < offsets.length; i++) {
      if (offsets[i] > 0 && file.get(offsets[i]) == METHOD && ends(offsets[i])) {
        file.putShort(offsets[i] + 3, (short) nameAndType);
        found = true;
      }
    }
    return found && nameAndType < MOST_CONSTANTS ? extended() : null;
  }

  private boolean ends(int method) {
    int nameAndType = offsets[index(method + 3)];
    return CLASSES.contains(text(index(offsets[index(method + 1)] + 1)))
        && METHODS.contains(text(index(nameAndType + 1)))
        && text(index(nameAndType + 3)).equals(TYPE);
  }

  private byte[] extended() {
    byte[] bytes = file.array();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataOutputStream data = new DataOutputStream(out)) {
      data.write(bytes, 0, COUNT_AT);
      data.writeShort(offsets.length + 2);
      data.write(bytes, COUNT_AT + Short.BYTES, end - COUNT_AT - Short.BYTES);
      data.writeByte(UTF8);
      data.writeUTF(NAME);
      data.writeByte(12);
      data.writeShort(offsets.length);
      data.writeShort(type());
      data.write(bytes, end, bytes.length - end);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }

  /** Returns the place of the type in the pool; a call that was found has it. */
  private int type() {
    for (int i = 1; i < offsets.length; i++) {
      if (offsets[i] > 0 && file.get(offsets[i]) == UTF8 && text(i).equals(TYPE)) {
        return i;
      }
    }
    throw new IllegalArgumentException(TYPE);
  }

  private int index(int at) {
    return Short.toUnsignedInt(file.getShort(at));
  }

  private String text(int constant) {
    int at = offsets[constant];
    byte[] bytes = file.array();
    return new String(
        Arrays.copyOfRange(bytes, at + 3, at + 3 + index(at + 1)), StandardCharsets.UTF_8);
  }

  /** Returns the length of a constant without its tag. */
  private int length(int tag) {
    return switch (tag) {
      case UTF8 -> Short.BYTES + index(end + 1);
      case 7, 8, 16, 19, 20 -> 2;
      case 15 -> 3;
      case 3, 4, 9, METHOD, 11, 12, 17, 18 -> 4;
      case 5, 6 -> 8;
      default -> throw new IllegalArgumentException("constant " + tag);
    };
  }
}

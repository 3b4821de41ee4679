package dev.ebb.host.files;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The SHA-256 of this JVM as it was at the start. A plugin can remove or replace the security
 * providers of the process; copies of the JDK's digest work nevertheless.
 */
public final class Sha256 {

  private static final MessageDigest ORIGINAL = original();

  private Sha256() {}

  public static MessageDigest digest() {
    try {
      return (MessageDigest) ORIGINAL.clone();
    } catch (CloneNotSupportedException ofAnotherProvider) {
      return original();
    }
  }

  private static MessageDigest original() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Java lacks SHA-256", impossible);
    }
  }
}

use super::bench::Bench;

/// What expressions print, one after the other.
fn check(lines: &[(&str, &str)]) {
    let text: String = lines
        .iter()
        .map(|(e, _)| format!("try {{ print({e}); }} catch (e) {{ print(String(e)); }}\n"))
        .collect();
    let mut b = Bench::script(&text, &[]);
    let (printed, complaints) = b.words();
    assert!(complaints.is_empty(), "{complaints:?}");
    for ((expression, expected), printed) in lines.iter().zip(&printed) {
        assert_eq!(printed, expected, "{expression}");
    }
    assert_eq!(printed.len(), lines.len());
}

#[test]
fn vectors() {
    check(&[
        ("new SFVec3f()", "0 0 0"),
        ("new SFVec3f(1, 2, 3).add(new SFVec3f(0.5, 0, -1))", "1.5 2 2"),
        ("new SFVec3f(0.1, 0.2, 0.3).subtract(new SFVec3f(1, 1, 1))", "-0.9 -0.8 -0.7"),
        ("new SFVec3f(1, 2, 3).multiply(2)", "2 4 6"),
        ("new SFVec3f(1, 2, 3).divide(2)", "0.5 1 1.5"),
        ("new SFVec3f(1, 2, 3).negate()", "-1 -2 -3"),
        ("new SFVec3f(1, 2, 3).dot(new SFVec3f(4, 5, 6))", "32"),
        ("new SFVec3f(1, 0, 0).cross(new SFVec3f(0, 1, 0))", "0 0 1"),
        ("new SFVec3f(3, 4, 0).length()", "5"),
        ("new SFVec3f(0, 5, 0).normalize()", "0 1 0"),
        ("new SFVec3f(0, 0, 0).normalize()", "0 0 0"),
        ("new SFVec3f(1, 2, 3)[1]", "2"),
        (
            "(() => { const v = new SFVec3f(1, 2, 3); v.x = 9; v[2] = 0.1; v.setValue(v.x, 1, v.z); return v; })()",
            "9 1 0.1",
        ),
        ("new SFVec3f([4, 5, 6])", "4 5 6"),
        ("new SFVec2f(3, 4).length() + new SFVec2f(1, 1).dot(new SFVec2f(2, 3))", "10"),
        ("new SFVec2d(0.1, 0.2)", "0.1 0.2"),
        ("new SFVec4f(1, 2, 3, 4).w", "4"),
        ("new SFVec3f(1, 2)", "TypeError: SFVec3f needs 3 numbers, and got 2"),
        ("new SFVec3f('a', 2, 3)", "TypeError: SFVec3f needs a number, and got the string \"a\""),
        ("new SFVec3f(1, 2, 3).add(5)", "TypeError: add needs an SFVec3f, and got 5"),
        ("new SFVec3f(1,2,3) instanceof SFVec3f", "true"),
        ("(() => { const a = new SFVec3f(1, 2, 3), b = a; b.x = 7; return a.x; })()", "7"),
    ]);
}

#[test]
fn rotations() {
    check(&[
        ("new SFRotation()", "0 0 1 0"),
        ("new SFRotation(0, 1, 0, 1.5)", "0 1 0 1.5"),
        ("new SFRotation(new SFVec3f(1, 0, 0), 0.5)", "1 0 0 0.5"),
        ("new SFRotation(new SFVec3f(1, 0, 0), new SFVec3f(0, 1, 0)).angle.toFixed(5)", "1.57080"),
        ("new SFRotation(new SFVec3f(1, 0, 0), new SFVec3f(-1, 0, 0)).angle.toFixed(5)", "3.14159"),
        ("new SFRotation(0, 1, 0, 1.5).getAxis()", "0 1 0"),
        (
            "(() => { const r = new SFRotation(0, 1, 0, 1.5); r.setAxis(new SFVec3f(1, 0, 0)); return r; })()",
            "1 0 0 1.5",
        ),
        ("new SFRotation(0, 1, 0, 1.5).inverse()", "0 1 0 -1.5"),
        ("new SFRotation(0, 1, 0, 1).multiply(new SFRotation(0, 1, 0, 0.5)).angle.toFixed(5)", "1.50000"),
        (
            "(() => { const v = new SFRotation(0, 0, 1, Math.PI / 2).multVec(new SFVec3f(1, 0, 0)); return Math.abs(v.x).toFixed(5) + ' ' + v.y.toFixed(5); })()",
            "0.00000 1.00000",
        ),
        ("new SFRotation(0, 1, 0, 0).slerp(new SFRotation(0, 1, 0, 1), 0.25).angle.toFixed(5)", "0.25000"),
        ("new SFRotation(0, 0, 1, 0.2).slerp(new SFRotation(0, 0, 1, 6.2), 0.5).angle.toFixed(3)", "0.058"),
    ]);
}

#[test]
fn colors() {
    check(&[
        ("new SFColor(1, 0.5, 0.25)", "1 0.5 0.25"),
        ("new SFColor(0, 1, 0).getHSV()", "120,1,1"),
        ("(() => { const c = new SFColor(); c.setHSV(240, 1, 1); return c; })()", "0 0 1"),
        ("(() => { const c = new SFColor(); c.setHSV(1, 0.5, 0); return c; })()", "0 0 0"),
        (
            "(() => { const c = new SFColor(0.2, 0.4, 0.9); const h = c.getHSV(); c.setHSV(h[0], h[1], h[2]); return c; })()",
            "0.2 0.4 0.9",
        ),
        ("new SFColorRGBA(1, 0.5, 0.25, 0.5).a", "0.5"),
        ("new SFColorRGBA()", "0 0 0 1"),
    ]);
}

#[test]
fn matrices() {
    check(&[
        ("new SFMatrix4f().multVecMatrix(new SFVec3f(1, 2, 3))", "1 2 3"),
        (
            "(() => { const m = new SFMatrix4f(); m.setTransform(new SFVec3f(1, 2, 3)); return m[3][0] + ' ' + m.multVecMatrix(new SFVec3f(1, 0, 0)); })()",
            "1 2 2 3",
        ),
        (
            "(() => { const m = new VrmlMatrix(); m.setTransform(new SFVec3f(1, 0, 0), new SFRotation(0, 0, 1, Math.PI / 2), new SFVec3f(2, 2, 2)); const v = m.multVecMatrix(new SFVec3f(1, 0, 0)); return Math.abs(v.x).toFixed(4) + ' ' + v.y.toFixed(4); })()",
            "1.0000 2.0000",
        ),
        (
            "(() => { const m = new SFMatrix4f(), t = new SFVec3f(), r = new SFRotation(), s = new SFVec3f(); m.setTransform(new SFVec3f(1, 2, 3), new SFRotation(0, 1, 0, 0.5), new SFVec3f(2, 3, 4)); m.getTransform(t, r, s); return t + ' | ' + r.y.toFixed(4) + ' ' + r.angle.toFixed(4) + ' | ' + s.x.toFixed(4) + ' ' + s.z.toFixed(4); })()",
            "1 2 3 | 1.0000 0.5000 | 2.0000 4.0000",
        ),
        (
            "(() => { const m = new SFMatrix4f(); m.setTransform(new SFVec3f(5, 0, 0)); return m.multRight(m.inverse()).equals(new SFMatrix4f()); })()",
            "true",
        ),
        ("new SFMatrix3f(1, 2, 3, 4, 5, 6, 7, 8, 9).transpose()", "1 4 7 2 5 8 3 6 9"),
        ("new SFMatrix3f(2, 0, 0, 0, 3, 0, 0, 0, 4).determinant()", "24"),
        ("new SFMatrix3f(1, 1, 1, 1, 1, 1, 1, 1, 1).inverse()", "RangeError: a matrix without an inverse"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("new MFFloat(1, 2.5)", "[ 1, 2.5 ]"),
        ("new MFString('a', 'b c')", "[ \"a\", \"b c\" ]"),
        ("new MFVec3f(new SFVec3f(1, 2, 3), new SFVec3f(4, 5, 6))", "[ 1 2 3, 4 5 6 ]"),
        ("new MFVec3f([new SFVec3f(1, 2, 3), new SFVec3f(4, 5, 6)]).length", "2"),
        ("new MFVec3f(1, 2, 3, 4, 5, 6)[1]", "4 5 6"),
        ("new MFVec3f([1, 2, 3])", "[ 1 2 3 ]"),
        ("(() => { const m = new MFInt32(); m[2] = 7; return m.length + ' ' + m; })()", "3 [ 0, 0, 7 ]"),
        (
            "(() => { const m = new MFVec3f(); m[0] = new SFVec3f(1, 2, 3); m[0].y = 9; return m; })()",
            "[ 1 9 3 ]",
        ),
        (
            "(() => { const m = new MFFloat(1, 2, 3); m.length = 1; m.length = 3; return m; })()",
            "[ 1, 0, 0 ]",
        ),
        (
            "(() => { const m = new MFFloat(3, 1, 2); m.push(0); m.sort(); m.shift(); return m; })()",
            "[ 1, 2, 3 ]",
        ),
        (
            "(() => { const m = new MFFloat(1, 2, 3); return m.pop() + m.splice(0, 1).length + ' ' + m; })()",
            "4 [ 2 ]",
        ),
        ("new MFFloat(1, 2, 3).map((x) => 'v' + x).join()", "v1,v2,v3"),
        ("new MFFloat(1, 'x')", "TypeError: SFFloat needs a number, and got the string \"x\""),
        ("(() => { let s = 0; for (const x of new MFInt32(1, 2, 3)) s += x; return s; })()", "6"),
        ("new MFBool(true, false)", "[ true, false ]"),
        ("Array.isArray(new MFFloat())", "true"),
        ("new MFFloat() instanceof MFFloat", "true"),
        ("new MFColor(1, 0, 0, 0, 1, 0).length", "2"),
        ("new MFVec3f(1, 2)", "TypeError: MFVec3f needs 3 numbers for each element, and got 2"),
        ("new SFImage(1, 2, 3, [255, 256]).toString()", "1 2 3 0xff 0x100"),
        ("TRUE && !FALSE && NULL === null", "true"),
    ]);
}

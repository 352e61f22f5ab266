//! Below which node a contact acts, and hence which solver treats it.

/// Where the response of a pair of models is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// In the node of the first model: the second is not simulated. That model's solver treats the contact implicitly.
    First,
    /// In the node of the second model: the first is not simulated.
    Second,
    /// In the pipeline's node: both are simulated. Explicit, unless a solver stands there or above.
    Pipeline,
}

/// Where the response of two models goes, by their attributes `simulated`.
///
/// **Source:** as SOFA's SubCollisionPipeline.
pub fn attachment(first_simulated: bool, second_simulated: bool) -> Attachment {
    match (first_simulated, second_simulated) {
        (false, _) => Attachment::Second,
        (true, false) => Attachment::First,
        (true, true) => Attachment::Pipeline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulated_side_holds_the_contact() {
        assert_eq!(attachment(false, true), Attachment::Second);
        assert_eq!(attachment(true, false), Attachment::First);
        assert_eq!(attachment(true, true), Attachment::Pipeline);
    }
}
